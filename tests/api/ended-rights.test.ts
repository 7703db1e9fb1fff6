/** A right that ends while a request is under way, which a thief keeps open for that moment. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Tx } from "@cardkeep/db/client";
import {
  findUser,
  insertSignInWallet,
  listSignInWallets,
  lockUser,
  removeSignInWallet,
  updateUser,
} from "@cardkeep/db/queries/users/users";
import { findNewestSafe } from "@cardkeep/db/queries/accounts/safes";
import { listTokens } from "@cardkeep/db/queries/users/tokens";
import { generateId } from "@cardkeep/domain/core/generateId";
import { endSession } from "@cardkeep/domain/operators/operatorSessions/sessions";
import { createPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { rotatePartnerKey } from "@cardkeep/domain/partners/partners/keys";
import { endAccess } from "@cardkeep/domain/users/users/endAccess";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { nextPhone } from "../support/orders.ts";
import { filled } from "../support/filled.ts";
import { countLockWaits } from "../support/locks.ts";
import { beginOperatorSession, operatorOf } from "../support/operator.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { openTalk } from "../support/rawClient.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

let service: RunningService;
beforeAll(async () => {
  service = await shareService({ worker: false });
});

const signedUp = async (): Promise<Person> => (await new Person(service).signIn()).signUp();
const idOf = ({ userId }: Person): string => {
  if (userId === null) throw new Error("The person has not signed up");
  return userId;
};
const bearing = (token: string | null) => ({ Authorization: `Bearer ${token}` });
const newAddress = () => new Person(service).account.address;

describe("a request that waits behind the end of its right", () => {
  const requests = [
    ["/eoa-accounts", () => ({ address: newAddress() })],
    ["/tokens", () => ({ name: "Late", scopes: ["transactions"] })],
    ["/account", () => ({ chainId: "100" })],
    ["/safe/deploy", () => ({})],
    ["/verification", () => ({ phoneNumber: nextPhone() })],
  ] as const;
  const ends = {
    "users end-access": async (tx: Tx, userId: string) => {
      for (const wallet of filled(await listSignInWallets(tx, userId))) {
        await removeSignInWallet(tx, wallet.id, new Date());
        await insertSignInWallet(tx, { ...wallet, id: generateId() });
      }
    },
    "users deactivate": (tx: Tx, userId: string) => updateUser(tx, userId, { status: "DEACTIVATED" }),
  } as const;
  const cases = requests.flatMap(([path, input]) =>
    (
      [
        ["users end-access", 401, "auth.token_invalid"],
        ["users deactivate", 403, "users.deactivated"],
      ] as const
    ).map(([end, status, code]) => ({ path, input, end, status, code })),
  );
  test.each(cases)("POST $path leaves nothing behind $end", async ({ path, input, end, status, code }) => {
    const ada = await new Person(service).becomeApproved();
    const { db } = service.runtime;
    const userId = idOf(ada);
    const before = await findUser(db, userId);
    const { asked } = await db.transaction(async (tx) => {
      await lockUser(tx, userId);
      const waiting = ada.call("POST", path, input());
      await until(async () => (await countLockWaits(db)) > 0);
      // As the operator's act does, behind the same lock.
      await ends[end](tx, userId);
      return { asked: waiting };
    });
    const answer = await asked;
    expect([answer.status, answer.headers.get("x-error-code")]).toEqual([status, code]);
    expect(await listSignInWallets(db, userId)).toMatchObject([{ address: ada.account.address }]);
    expect([await listTokens(db, userId), await findNewestSafe(db, userId)]).toEqual([[], null]);
    expect((await findUser(db, userId))?.phone).toBe(before?.phone ?? null);
  });
});

describe("a request whose body is held back", () => {
  /** Sends all of a request but its last byte, ends the right, and then sends the rest. Answers status and code. */
  async function sendAround(
    request: { method: string; path: string; headers: Readonly<Record<string, string>>; body: object | string },
    end: () => Promise<unknown>,
  ): Promise<{ status: number; code: string | undefined }> {
    const text = typeof request.body === "string" ? request.body : JSON.stringify(request.body);
    const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${request.method} ${request.path} HTTP/1.1\r\nHost: localhost\r\n${lines.join("")}`;
    const talk = openTalk(
      service.url,
      `${head}Connection: close\r\nContent-Length: ${text.length}\r\n\r\n${text.slice(0, -1)}`,
    );
    // A busy server may come to the head late. It has proven the right once a later request that asks the database has its answer.
    await fetch(`${service.url}/readyz`);
    const provenAtMs = performance.now();
    // Within this time a proof counts, and a server learns of the end of a sign-in.
    await until(() => performance.now() - provenAtMs > 300);
    await end();
    talk.send(text.slice(-1));
    await until(() => talk.said().includes("\r\n\r\n"));
    talk.end();
    const [, status = ""] = talk.said().split(" ");
    return { status: Number(status), code: /^x-error-code: (\S+)/im.exec(talk.said())?.[1] };
  }
  const operator = () => operatorOf(service.runtime, "A thief holds a request open");

  test("is refused by a user who was deactivated meanwhile", async () => {
    const ada = await signedUp();
    const body = { address: newAddress() };
    const refused = await sendAround(
      { method: "POST", path: "/api/v1/eoa-accounts", headers: bearing(ada.token), body },
      () => setUserStatus(operator(), { reference: idOf(ada), status: "DEACTIVATED" }),
    );
    expect(refused).toEqual({ status: 403, code: "users.deactivated" });
  });

  test("is refused where an operator ended the user's access meanwhile", async () => {
    const ada = await signedUp();
    const body = { name: "Late", scopes: ["transactions"] };
    const refused = await sendAround(
      { method: "POST", path: "/api/v1/tokens", headers: bearing(ada.token), body },
      () => endAccess(operator(), { reference: idOf(ada) }),
    );
    expect(refused).toEqual({ status: 401, code: "auth.token_invalid" });
    await ada.signIn();
    expect((await ada.call("GET", "/tokens")).body).toEqual([]);
  });

  test("is refused where the partner's API key ended meanwhile", async () => {
    const { id, apiKey } = await createPartner(operator(), {
      name: "Held",
      domains: [`held-${generateId()}.example`],
      payload: "full",
      hasAllEvents: false,
    });
    const body = { name: "Late", scope: "partner", definition: {} };
    const request = { method: "POST", path: "/api/v1/partners/card-rules", headers: bearing(apiKey), body };
    const refused = await sendAround(request, () =>
      rotatePartnerKey(operator(), { id, kind: "api", overlapSeconds: 0 }),
    );
    expect(refused).toEqual({ status: 401, code: "auth.token_invalid" });
  });

  const forms = [
    ["API", "/operator/api", "cli", bearing, { reason: "A request that was held open" }, 200],
    [
      "pages",
      "/operator",
      "page",
      (secret: string) => ({
        Cookie: `cardkeep_operator=${secret}`,
        Origin: service.runtime.settings.publicUrl,
        "Content-Type": "application/x-www-form-urlencoded",
      }),
      "reason=A+form+that+was+held+open",
      303,
    ],
  ] as const;
  test.each(forms)(
    "is refused by the operator's %s where the session ended meanwhile",
    async (_, base, way, show, body, done) => {
      const ada = await signedUp();
      const askAround = async (end: (id: string) => Promise<unknown>) => {
        const person = { name: "held", groups: ["operators-support"], way };
        const { id, secret } = await beginOperatorSession(service.runtime, person);
        const path = `${base}/users/${idOf(ada)}/end-access`;
        return sendAround({ method: "POST", path, headers: show(secret), body }, () => end(id));
      };
      expect(await askAround((id) => endSession(operator(), id))).toMatchObject({ status: 401 });
      expect((await ada.call("GET", "/user")).status).toBe(200);
      // The same request of a session that goes on.
      expect(await askAround(() => Promise.resolve())).toMatchObject({ status: done });
      expect((await ada.call("GET", "/user")).status).toBe(401);
    },
  );
});
