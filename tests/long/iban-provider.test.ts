import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { CardCaseKind } from "@cardkeep/contract/spending/cardCases";
import { listEmoneyRecords, putEmoneyRecord, takeEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { archivedIbans, cardCases, events, ibanOrders, ibans, safes } from "@cardkeep/db/schema/tables";
import { development } from "@cardkeep/runtime/development";
import { and, eq, like, sql } from "drizzle-orm";
import { createHmac, randomUUID } from "node:crypto";
import { encodeFunctionData, parseAbi } from "viem";
import { hasBrowser, startBrowser } from "../support/browser.ts";
import { becomeIbanHolder, ibanStatusOf, signDeclaration } from "../support/ibans.ts";
import { listIdentityVersions } from "@cardkeep/db/queries/users/records";
import { lockUser, updateUser } from "@cardkeep/db/queries/users/users";
import { findIbanOrder } from "@cardkeep/db/queries/users/ibanOrders";
import { closeCase } from "@cardkeep/domain/spending/cases/listCases";
import { eraseUser } from "@cardkeep/domain/users/users/eraseUser";
import { setUserStatus } from "@cardkeep/domain/users/users/setUserStatus";
import { setRisk } from "@cardkeep/domain/verification/sourceOfFunds/setRisk";
import { countLockWaits } from "../support/locks.ts";
import { operatorOf } from "../support/operator.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { expectWithin, until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";

type Forward = () => Promise<Response>;
/** The institution behind a fault; null lets every call through to the sandbox. */
let fault: ((call: string, forward: Forward) => Response | Promise<Response> | null) | null = null;

/** The institution, with one state in each profile that it answers. */
const answerProfiles = (state: string) => async (call: string, forward: Forward) => {
  if (!/^GET \/profiles\/[^/]+$/.test(call)) return forward();
  const answer = await forward();
  const profile = await answer.json();
  return Response.json(answer.ok ? { ...profile, state } : profile, { status: answer.status });
};
let asked = 0;
let front: ReturnType<typeof Bun.serve>;
let service: Service;
beforeAll(async () => {
  const [port = 0] = await findFreePorts(1);
  service = await startService({ env: { EMONEY_URL: `http://127.0.0.1:${port}/emoney/api` } });
  front = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 30,
    fetch: async (request) => {
      asked++;
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.text();
      const forward = () => fetch(service.sandboxUrl + pathname + search, { method, headers, body });
      return (await fault?.(`${method} ${pathname.replace("/emoney/api", "")}`, forward)) ?? forward();
    },
  });
});
afterAll(async () => {
  await service.stop();
  await front.stop(true);
});
beforeEach(() => {
  fault = null;
});

const secret = "secret text of the institution";
const unavailable = { status: 502, body: { error: "IBANs are temporarily unavailable" } };

async function newHolder(): Promise<Person> {
  const person = new Person(service);
  await person.becomeAccountHolder();
  return person;
}

const rowOf = async ({ userId }: Person) => {
  const [row] = await service.runtime.db
    .select()
    .from(ibans)
    .where(eq(ibans.userId, userId ?? ""));
  if (!row) throw new Error("There is no row");
  return row;
};
const emailOf = async (person: Person): Promise<string> => (await person.call("GET", "/user")).body.email;
const movesOf = async ({ userId }: Person) => {
  const ofPerson = and(eq(events.userId, userId ?? ""), like(events.eventType, "iban.status.changed"));
  const rows = await service.runtime.db.select().from(events).where(ofPerson).orderBy(events.sequence);
  return rows.map(({ data }) => (data as { currentStatus: string }).currentStatus);
};
const assigned = (person: Person) => until(async () => (await ibanStatusOf(person)) === "ASSIGNED");
/** The same, with shorter waits between a job's attempts. */
const untilInTime = (person: Person, isDone: () => Promise<boolean>) =>
  until(
    async () => {
      await person.sandbox("POST", "/chain/advance", { seconds: 15 });
      return isDone();
    },
    { everyMs: 300 },
  );
const assignedInTime = (person: Person) => untilInTime(person, async () => (await ibanStatusOf(person)) === "ASSIGNED");
const review = (person: Person, outcome: "approved" | "rejected") =>
  person.sandbox("POST", `/kyc/${person.userId}/review`, { outcome });
const ask = async (person: Person, fields: object = {}) => {
  const body = { signature: await signDeclaration(person), ...fields };
  const answer = await person.call("POST", "/ibans/emoney-profile", body);
  return { status: answer.status, body: answer.body };
};

/** Delivers a callback with the institution's signature, or with a forged one. */
async function deliver(
  type: string,
  data: unknown,
  { id = randomUUID(), skewSeconds = 0, key = development.EMONEY_CALLBACK_SECRET as string } = {},
): Promise<number> {
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
  const timestamp = String(Math.floor(Date.now() / 1000) + skewSeconds);
  const digest = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${digest}` };
  const response = await fetch(`${service.url}/callbacks/monerium`, { method: "POST", body, headers });
  await response.text();
  return response.status;
}

describe("while the e-money institution", () => {
  test("answers about one person what cannot be read, others get their IBANs, and that person once it can be", async () => {
    const [ada, bob] = await Promise.all([newHolder(), newHolder()]);
    const unreadable = () => Response.json({ id: 1, state: [secret] });
    fault = (call) => (call.startsWith("GET /profiles/") ? unreadable() : null);
    expect(await ask(ada)).toEqual(unavailable);
    const { profileId } = await rowOf(ada);
    fault = (call) => (call.includes(profileId) ? unreadable() : null);
    for (let times = 0; times < 6; times++) expect(await ask(ada)).toEqual(unavailable);
    expect((await ask(bob)).status).toBe(200);
    await assignedInTime(bob);
    fault = null;
    await assignedInTime(ada);
  }, 60_000);

  test("names a state of a profile that is not known here, the IBAN waits", async () => {
    const person = await newHolder();
    fault = answerProfiles("reviewing");
    expect([200, 422]).toContain((await ask(person)).status);
    await until(async () => (await ibanStatusOf(person)) === "PENDING");
    fault = null;
    await assignedInTime(person);
  }, 60_000);

  test("is away until the approval is withdrawn, no later job opens the IBAN or shares the person's file", async () => {
    const person = await newHolder();
    fault = () => new Response(secret, { status: 503 });
    expect(await ask(person)).toEqual(unavailable);
    expect(await rowOf(person)).toMatchObject({ status: "NOTSTARTED", attempt: expect.any(String) });
    await review(person, "rejected");
    const calls: string[] = [];
    fault = (call) => {
      calls.push(call);
      return null;
    };
    await untilInTime(person, async () => (await rowOf(person)).attempt === null);
    expect(await rowOf(person)).toMatchObject({ status: "NOTSTARTED", iban: null });
    expect(calls.filter((call) => call.startsWith("POST "))).toEqual([]);
    const [version] = await listIdentityVersions(service.runtime.db, person.userId ?? "");
    expect(version?.disclosedTo).toEqual({});
    // Approved again, the person may ask again.
    await review(person, "approved");
    expect((await ask(person)).status).toBe(200);
    await assignedInTime(person);
  }, 60_000);

  test("is to be asked for a person whose approval is withdrawn in that moment, it is not asked", async () => {
    const { db } = service.runtime;
    const person = await newHolder();
    const userId = person.userId ?? "";
    const asked = await db.transaction(async (tx) => {
      await lockUser(tx, userId);
      const answer = ask(person);
      await until(async () => (await countLockWaits(db)) > 0);
      await updateUser(tx, userId, { kycStatus: "rejected" });
      return { answer };
    });
    expect(await asked.answer).toEqual({ status: 422, body: { error: "An IBAN is not available to this user" } });
    expect(await ibanStatusOf(person)).toBe("NOTSTARTED");
  });

  test("still looks at a person whose approval is withdrawn, nothing more is asked of it, and a case watches for what it opens", async () => {
    const person = await newHolder();
    fault = answerProfiles("reviewing");
    expect((await ask(person)).status).toBe(200);
    const { profileId: profile, address } = await rowOf(person);
    await review(person, "rejected");
    const calls: string[] = [];
    fault = (call) => {
      calls.push(call);
      return null;
    };
    await untilInTime(person, async () => (await rowOf(person)).attempt === null);
    expect(calls.filter((call) => call.startsWith("POST "))).toEqual([]);
    expect(await movesOf(person)).toEqual(["PENDING", "NOTSTARTED"]);
    expect(await archiveOf(person)).toMatchObject([{ profileId: profile, address, iban: "awaited" }]);
    expect(await casesOf(person)).toMatchObject([{ kind: "iban_to_close", status: "OPEN" }]);
    await review(person, "approved");
    expect(await casesOf(person)).toMatchObject([{ kind: "iban_to_close", status: "CLOSED" }]);
    expect((await ask(person)).status).toBe(200);
    await assignedInTime(person);
  }, 60_000);

  test("makes the profile of a person whose approval is withdrawn meanwhile, no IBAN begins, and a case watches", async () => {
    const person = await newHolder();
    const calls: string[] = [];
    fault = async (call, forward) => {
      calls.push(call);
      if (call === "POST /profiles") await review(person, "rejected");
      return forward();
    };
    expect((await ask(person)).status).toBe(200);
    await untilInTime(person, async () => (await rowOf(person)).attempt === null);
    expect(calls.filter((call) => /^POST \/(addresses|ibans)/.test(call))).toEqual([]);
    expect(await ibanStatusOf(person)).toBe("NOTSTARTED");
    expect(await casesOf(person)).toMatchObject([{ kind: "iban_to_close", status: "OPEN" }]);
  }, 60_000);

  test("loses every first answer after executing the call, there is one profile, one address, one IBAN", async () => {
    const before = new Set((await listEmoneyRecords(service.runtime.db, "iban")).map(({ id }) => id));
    const profilesBefore = (await listEmoneyRecords(service.runtime.db, "profile")).length;
    const person = await newHolder();
    const lost = new Set<string>();
    fault = async (call, forward) => {
      const step = call.replace(/[0-9a-f-]{36}/, "{id}");
      if (lost.has(step)) return forward();
      lost.add(step);
      await (await forward()).text();
      return new Response(null, { status: 503 });
    };
    // The job completes what the request could not. Requests in between change nothing.
    for (let times = 0; times < 3; times++) expect([200, 502]).toContain((await ask(person)).status);
    await assignedInTime(person);
    expect([...lost]).toContain("POST /ibans");
    expect(await movesOf(person)).toEqual(["PENDING", "ASSIGNED"]);
    const made = (await listEmoneyRecords(service.runtime.db, "iban")).filter(({ id }) => !before.has(id));
    expect(made).toHaveLength(1);
    expect((await listEmoneyRecords(service.runtime.db, "profile")).length).toBe(profilesBefore + 1);
  }, 60_000);

  test("fails or hangs, a user gets our error within five seconds; calls pause, and the request completes later", async () => {
    const person = await newHolder();
    const answers = [
      () => Response.json({ message: secret }, { status: 500 }),
      () => new Response(`<html>${secret}`),
      () => new Promise<Response>(() => {}),
    ];
    for (const answer of answers) {
      fault = answer;
      await expectWithin(5_000, async () => {
        const startedAt = performance.now();
        expect(await ask(person)).toEqual(unavailable);
        return performance.now() - startedAt;
      });
    }
    fault = () => Response.json({ message: secret }, { status: 503 });
    await Promise.all(Array.from({ length: 5 }, () => ask(person)));
    const before = asked;
    expect(await ask(person)).toEqual(unavailable);
    expect(asked - before).toBeLessThan(2);
    expect(await ibanStatusOf(person)).toBe("NOTSTARTED");
    expect((await person.call("GET", "/ibans/orders")).status).toBe(200);
    fault = null;
    await assignedInTime(person);
    expect(await movesOf(person)).toEqual(["PENDING", "ASSIGNED"]);
    const next = await newHolder();
    await until(async () => (await ask(next)).status === 200, { everyMs: 100 });
  }, 60_000);

  test("sends an IBAN with a wrong checksum, or another person's account, nothing changes until it sends the right one", async () => {
    const person = await newHolder();
    const reported = { iban: "DE89370400440532013001", bic: "COBADEFFXXX", chain: "gnosis" };
    let times = 0;
    fault = (call) => {
      if (call === "POST /ibans") return new Response(null, { status: 304 });
      if (call !== "GET /ibans") return null;
      times++;
      return Response.json({ ibans: [{ ...reported, profile: profileId, address }] });
    };
    const { address } = (await person.call("GET", "/safe/config")).body;
    expect((await ask(person)).status).toBe(200);
    const { profileId } = await rowOf(person);
    await until(() => times > 0);
    const wrong = { ...reported, profile: profileId, address };
    expect(await deliver("iban.updated", wrong)).toBe(422);
    const elsewhere = "0x000000000000000000000000000000000000bEEF";
    expect(await deliver("iban.updated", { ...wrong, iban: "DE89370400440532013000", address: elsewhere })).toBe(409);
    expect(await rowOf(person)).toMatchObject({ status: "PENDING", iban: null });
    expect(await movesOf(person)).toEqual(["PENDING"]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/cardkeep_callbacks_total\{provider="emoney",outcome="refused"\} [2-9]/);
    fault = null;
    await assignedInTime(person);
    expect(await movesOf(person)).toEqual(["PENDING", "ASSIGNED"]);
  }, 60_000);
});

describe("a callback", () => {
  test("sends a forged, stale, repeated, late or foreign callback, nothing changes", async () => {
    const person = await newHolder();
    const iban = await becomeIbanHolder(person);
    const { profileId, address } = await rowOf(person);
    const order = {
      id: randomUUID(),
      kind: "issue",
      profile: profileId,
      address,
      chain: "gnosis",
      currency: "eur",
      amount: "10",
      counterpart: { details: { name: "Charles" }, identifier: { standard: "iban", iban } },
      state: "pending",
      memo: null,
      meta: { placedAt: "2026-01-01T10:00:00.000Z" },
    };
    const orders = async () => (await person.call("GET", "/ibans/orders")).body.data;
    expect(await deliver("order.created", order, { key: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })).toBe(401);
    expect(await deliver("order.created", order, { skewSeconds: -301 })).toBe(401);
    expect(await deliver("order.created", order, { skewSeconds: 301 })).toBe(401);
    expect(await deliver("order.created", { ...order, amount: "-10" })).toBe(422);
    expect(await deliver("order.created", { ...order, address: "0x000000000000000000000000000000000000bEEF" })).toBe(
      409,
    );
    for (const memo of ["a\0b", "a\ud800b"]) expect(await deliver("order.created", { ...order, memo })).toBe(422);
    expect(await deliver("order.created", { ...order, meta: { placedAt: "2286-11-20T17:46:39Z" } })).toBe(409);
    expect(await deliver("order.created", { ...order, profile: randomUUID() })).toBe(200);
    expect(await orders()).toEqual([]);
    const id = randomUUID();
    expect(await deliver("order.created", order, { id })).toBe(200);
    expect(await deliver("order.created", { ...order, amount: "99" }, { id })).toBe(200);
    expect(await orders()).toMatchObject([{ amount: "10", state: "pending", memo: null }]);
    expect(await deliver("order.updated", { ...order, state: "processed" })).toBe(200);
    expect(await deliver("order.updated", order)).toBe(200);
    expect(await orders()).toMatchObject([{ state: "processed" }]);
    const page = async (query: string) => (await person.call("GET", `/ibans/orders?${query}`)).body;
    // The institution's report is older than our record of it: a poller asks by ours.
    const late = { ...order, id: randomUUID(), meta: { placedAt: "2025-01-01T10:00:00.000Z" } };
    expect(await deliver("order.created", late)).toBe(200);
    const recorded = await findIbanOrder(service.runtime.db, late.id);
    expect((await page(`updatedSince=${recorded?.updatedAt?.toISOString()}`)).data).toMatchObject([{ id: late.id }]);
    expect(await page(`cursor=${order.id}`)).toEqual({ data: [expect.objectContaining({ id: late.id })] });
    expect(await page(`cursor=${randomUUID()}`)).toEqual({ data: [] });
    const stranger = await newHolder();
    await becomeIbanHolder(stranger);
    const theirs = await rowOf(stranger);
    const taken = { ...order, profile: theirs.profileId, address: theirs.address, amount: "1" };
    expect(await deliver("order.updated", taken)).toBe(200);
    expect((await stranger.call("GET", "/ibans/orders")).body.data).toEqual([]);
    expect(await deliver("iban.updated", { iban, bic: null, profile: theirs.profileId, address: theirs.address })).toBe(
      200,
    );
    expect((await rowOf(stranger)).iban).toBe(theirs.iban);
  }, 30_000);
});

test("an IBAN and an order of another chain are not a person's here, and the IBAN of this chain is assigned", async () => {
  const person = await newHolder();
  fault = (call) => {
    if (call === "POST /ibans") return new Response(null, { status: 304 });
    return call === "GET /ibans" ? Response.json({ ibans: [] }) : null;
  };
  expect((await ask(person)).status).toBe(200);
  await until(async () => (await ibanStatusOf(person)) === "PENDING");
  const { profileId: profile, address } = await rowOf(person);
  const [ours, other] = ["DE89370400440532013000", "GB29NWBK60161331926819"];
  const named = { iban: other, bic: "COBADEFFXXX", profile, address, chain: "ethereum" };
  expect(await deliver("iban.updated", named)).toBe(200);
  expect(await rowOf(person)).toMatchObject({ status: "PENDING", iban: null });
  expect(await deliver("iban.updated", { ...named, iban: ours, chain: "gnosis" })).toBe(200);
  expect(await rowOf(person)).toMatchObject({ status: "ASSIGNED", iban: ours });
  expect(await movesOf(person)).toEqual(["PENDING", "ASSIGNED"]);
  const order = {
    kind: "issue",
    profile,
    currency: "eur",
    amount: "10",
    counterpart: { details: {}, identifier: { standard: "iban", iban: other } },
    state: "processed",
    meta: { placedAt: "2026-01-01T10:00:00.000Z", txHashes: [`0x${"ab".repeat(32)}`] },
  };
  expect(await deliver("order.updated", { ...order, id: randomUUID(), address, chain: "ethereum" })).toBe(200);
  const noble = { address: "noble1x0c5tq6v7w8f9k3m2n4p5r6s7t8u9v0w1x2y3z", chain: "noble" };
  expect(await deliver("order.updated", { ...order, id: randomUUID(), ...noble })).toBe(200);
  expect((await person.call("GET", "/ibans/orders")).body.data).toEqual([]);
}, 30_000);

/** The person's app; the sandbox's own page answers there. */
const appUrl = () => service.sandboxUrl.replace("127.0.0.1", "localhost") + "/?app=1";

/** Proves the mail address on the page that asks for a code; returns the next address. */
async function proveOnPage(person: Person, url: string): Promise<string> {
  const page = await fetch(url);
  expect([page.status, page.headers.get("content-security-policy")]).toEqual([
    200,
    expect.stringContaining("default-src 'none'"),
  ]);
  expect(await (await fetch(url, { method: "POST" })).text()).toContain("Continue");
  const { body: mails } = await person.sandbox("GET", `/mailbox?to=${await emailOf(person)}`);
  // The mail names the wallet, so that a person does not prove a stranger's wallet by mistake.
  expect(mails[0].text).toContain(person.account.address);
  const code = new URLSearchParams({ code: mails[0].code });
  const right = await fetch(url, { method: "POST", body: code, redirect: "manual" });
  return right.headers.get("location") ?? `${right.status}`;
}

/** An existing customer of the institution, who is asked for consent. */
async function newKnownHolder(): Promise<{ person: Person; redirectUrl: string }> {
  const person = await newHolder();
  expect((await person.sandbox("POST", "/emoney/profiles", { email: await emailOf(person) })).status).toBe(200);
  const answer = await ask(person, { callbackUrl: appUrl() });
  const message = "The user already has an e-money profile";
  expect(answer).toEqual({ status: 422, body: { errors: { message, redirectUrl: expect.any(String) } } });
  expect(await ibanStatusOf(person)).toBe("PENDING_OAUTH");
  return { person, redirectUrl: await proveOnPage(person, answer.body.errors.redirectUrl) };
}

/** Ends the access tokens of a profile, as after an hour. */
async function expireTokens(profile: string): Promise<void> {
  const { db } = service.runtime;
  for (const { id, data } of await listEmoneyRecords(db, "token", profile))
    await putEmoneyRecord(db, { kind: "token", id, profile, data: { ...(data as object), until: 0 } });
}

/** Sends the consent page's form; returns the institution's redirect. */
async function agree(url: string, email: string, decision = "allow"): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    body: new URLSearchParams({ email, decision }),
    redirect: "manual",
  });
  return response.headers.get("location") ?? `${response.status} ${await response.text()}`;
}

/** Follows the redirect to us; returns our own redirect. */
async function comeBack(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "manual" });
  const text = await response.text();
  return response.headers.get("location") ?? `${response.status} ${text.trim()}`;
}
const backWith = (status: string) => `${appUrl()}&status=${status}`;
const expired = "400 This link was used already or is too old. Go back to the app and try again.";

/** What the institution answers while an IBAN takes its time: accepted, and none is listed. */
const later = () => Response.json({}, { status: 202 });

const assignedLater = { iban: "DE89370400440532013000", bic: "COBADEFFXXX", chain: "gnosis" };
const archiveOf = ({ userId }: Person) =>
  service.runtime.db
    .select()
    .from(archivedIbans)
    .where(eq(archivedIbans.userId, userId ?? ""));
const casesOf = async ({ userId }: Person) => {
  const rows = await service.runtime.db
    .select()
    .from(cardCases)
    .where(eq(cardCases.subjectId, userId ?? ""))
    .orderBy(cardCases.kind);
  return rows.map(({ kind, status, note }) => ({ kind, status, note }));
};

describe("an existing customer of the institution", () => {
  test("agrees on its page, in a browser if one is installed, and has the IBAN of the existing profile", async () => {
    const { person, redirectUrl } = await newKnownHolder();
    const integrated = await person.call("POST", "/integrations/emoney", {});
    expect(integrated).toMatchObject({
      status: 400,
      body: { data: { success: false, status: 400, responseData: { redirectUrl: expect.any(String) } } },
    });
    // The IBAN waits, so that the stored consent can be checked.
    fault = (call) => (call === "POST /ibans" ? later() : null);
    if (hasBrowser) {
      const browser = await startBrowser();
      try {
        await browser.open(redirectUrl);
        await browser.waitFor(`document.title === "Link your e-money account"`);
        await browser.click("button[value=allow]");
        await browser.waitFor(`location.href.startsWith("${appUrl()}")`);
        expect(await browser.run("location.href")).toBe(backWith("linked"));
      } finally {
        await browser.close();
      }
    } else {
      expect(await comeBack(await agree(redirectUrl, await emailOf(person)))).toBe(backWith("linked"));
    }
    const row = await rowOf(person);
    expect(row.status).toBe("PENDING");
    const tokens = (await listEmoneyRecords(service.runtime.db, "token")).map(({ id }) => id);
    expect(row.sealedToken).toEqual(expect.any(String));
    expect(tokens.length).toBeGreaterThan(0);
    const state = new URL(redirectUrl).searchParams.get("state") ?? "none";
    const tables = ["ibans", "oauth_states", "events", "idempotency_keys", "graphile_worker._private_jobs"];
    for (const table of tables) {
      const kept = JSON.stringify(await service.runtime.db.execute(sql`select * from ${sql.raw(table)}`));
      expect([table, [state, ...tokens].filter((text) => kept.includes(text))]).toEqual([table, []]);
    }
    fault = null;
    await assignedInTime(person);
    expect(await movesOf(person)).toEqual(["PENDING_OAUTH", "PENDING", "ASSIGNED"]);
    expect(await rowOf(person)).toMatchObject({ sealedToken: null, linkedProfileId: expect.any(String) });
    const { iban } = (await person.call("GET", "/ibans/details")).body.data;
    expect((await person.sandbox("POST", "/emoney/incoming", { iban, amount: "1" })).status).toBe(200);
    expect((await person.call("GET", "/ibans/orders")).body.data).toMatchObject([{ amount: "1", state: "processed" }]);
  }, 60_000);

  test("has other accounts in the profile: what moves there is ignored, and what names another user's Safe is refused", async () => {
    const { person, redirectUrl } = await newKnownHolder();
    expect(await comeBack(await agree(redirectUrl, await emailOf(person)))).toBe(backWith("linked"));
    await assignedInTime(person);
    const { linkedProfileId: profile } = await rowOf(person);
    const other = await newHolder();
    const { address: safe } = (await other.call("GET", "/safe/config")).body;
    const order = {
      kind: "issue",
      profile,
      chain: "gnosis",
      currency: "eur",
      amount: "10",
      counterpart: { details: {}, identifier: { standard: "iban", iban: "GB29NWBK60161331926819" } },
      state: "processed",
      meta: { placedAt: "2026-01-01T10:00:00.000Z" },
    };
    const own = "0x000000000000000000000000000000000000bEEF";
    const report = (address: string) => deliver("order.updated", { ...order, id: randomUUID(), address });
    expect([await report(own), await report(safe)]).toEqual([200, 409]);
    const named = { iban: "DE89370400440532013000", bic: null, profile, chain: "gnosis" };
    expect(await deliver("iban.updated", { ...named, address: own })).toBe(200);
    expect(await deliver("iban.updated", { ...named, address: safe })).toBe(409);
    expect((await person.call("GET", "/ibans/orders")).body.data).toEqual([]);
  }, 60_000);

  test("agrees once for an IBAN that takes longer than a token lasts: each refresh token serves once", async () => {
    const { person, redirectUrl } = await newKnownHolder();
    fault = (call) => (call === "POST /ibans" ? later() : null);
    expect(await comeBack(await agree(redirectUrl, await emailOf(person)))).toBe(backWith("linked"));
    const profile = (await rowOf(person)).linkedProfileId ?? "";
    for (const _ of [1, 2]) {
      const { sealedToken } = await rowOf(person);
      await expireTokens(profile);
      // Until the new token is kept: one that the institution still has to issue could not be ended by the next round.
      // More often, and the institution would refuse its rate: the job's pauses then outgrow this wait.
      await until(
        async () => {
          await person.sandbox("POST", "/chain/advance", { seconds: 300 });
          return (await rowOf(person)).sealedToken !== sealedToken;
        },
        { everyMs: 300 },
      );
    }
    await expireTokens(profile);
    fault = null;
    await assignedInTime(person);
    expect(await movesOf(person)).toEqual(["PENDING_OAUTH", "PENDING", "ASSIGNED"]);
  }, 60_000);

  test("does not agree again because a gateway answers 404 where the institution gives tokens", async () => {
    const { person, redirectUrl } = await newKnownHolder();
    fault = (call) => (call === "POST /ibans" ? later() : null);
    expect(await comeBack(await agree(redirectUrl, await emailOf(person)))).toBe(backWith("linked"));
    let turnedAway = 0;
    fault = (call) => {
      if (call === "POST /ibans") return later();
      if (call !== "POST /auth/token") return null;
      turnedAway++;
      return new Response("<html><h1>404 Not Found", { status: 404 });
    };
    await expireTokens((await rowOf(person)).linkedProfileId ?? "");
    await until(
      async () => {
        await person.sandbox("POST", "/chain/advance", { seconds: 15 });
        return turnedAway > 1;
      },
      { everyMs: 300 },
    );
    fault = null;
    await assignedInTime(person);
    expect(await movesOf(person)).toEqual(["PENDING_OAUTH", "PENDING", "ASSIGNED"]);
  }, 60_000);

  test("agrees again where the refresh token is gone too", async () => {
    const { person, redirectUrl } = await newKnownHolder();
    fault = (call) => (call === "POST /ibans" ? later() : null);
    expect(await comeBack(await agree(redirectUrl, await emailOf(person)))).toBe(backWith("linked"));
    const profile = (await rowOf(person)).linkedProfileId ?? "";
    const { db } = service.runtime;
    // A job whose token has expired would renew it meanwhile.
    for (const { id } of await listEmoneyRecords(db, "refresh", profile)) await takeEmoneyRecord(db, "refresh", id);
    await expireTokens(profile);
    await until(
      async () => {
        await person.sandbox("POST", "/chain/advance", { seconds: 15 });
        return (await ibanStatusOf(person)) === "PENDING_OAUTH";
      },
      { everyMs: 300 },
    );
    expect(await rowOf(person)).toMatchObject({ linkedProfileId: null, sealedToken: null });
    // The IBAN was asked for, and its money is this person's, whoever agrees to what later.
    const { address } = await rowOf(person);
    expect(await archiveOf(person)).toMatchObject([{ profileId: profile, address, iban: "awaited" }]);
    expect(await deliver("iban.updated", { ...assignedLater, profile, address })).toBe(200);
    expect(await archiveOf(person)).toMatchObject([{ profileId: profile, address, iban: assignedLater.iban }]);
    await setUserStatus(operatorOf(service.runtime, "test"), { reference: person.userId ?? "", status: "DEACTIVATED" });
    expect(await casesOf(person)).toMatchObject([{ kind: "iban_to_close", status: "OPEN" }]);
  }, 60_000);

  test("is not linked by a used, old, refused, truncated or foreign link", async () => {
    const { person, redirectUrl } = await newKnownHolder();
    const email = await emailOf(person);
    const next = async () => {
      const query = new URLSearchParams({ callbackUrl: appUrl() });
      return (await person.call("GET", `/ibans/oauth/redirect_url?${query}`)).body.data.redirectUrl as string;
    };
    expect(await comeBack(await agree(redirectUrl, email, "deny"))).toBe(backWith("denied"));
    const back = await agree(redirectUrl, email);
    expect(await comeBack(back)).toBe(expired);
    for (const query of ["", "?code=1", "?state=unknown&code=1", "?state="]) {
      expect(await comeBack(`${service.url}/callbacks/monerium/oauth${query}`)).toBe(expired);
    }

    // A code fits only the verifier of its own consent.
    const other = await newKnownHolder();
    const otherBack = new URL(await agree(other.redirectUrl, await emailOf(other.person)));
    const mixed = new URL(await agree(await next(), email));
    mixed.searchParams.set("code", otherBack.searchParams.get("code") ?? "");
    expect(await comeBack(mixed.href)).toBe(backWith("failed"));

    // A stranger who is led to agree links nothing to the person who began it.
    const stranger = "charles@example.org";
    await person.sandbox("POST", "/emoney/profiles", { email: stranger });
    expect(await comeBack(await agree(await next(), stranger))).toBe(backWith("failed"));
    expect(await agree(await next(), "nobody@example.org")).toContain("There is no profile with this e-mail address");

    // The token endpoint itself requires the verifier.
    const code = new URL(await agree(await next(), email)).searchParams.get("code") ?? "";
    const { emoney } = service.runtime.services;
    const { consentReturnUrl: redirectUri } = service.runtime.services.policy.emoney;
    await expect(emoney.exchangeCode({ code, verifier: "", redirectUri })).rejects.toThrow("answered 400");

    const old = await agree(await next(), email);
    await person.sandbox("POST", "/chain/advance", { seconds: 901 });
    expect(await comeBack(old)).toBe(expired);
    expect(await ibanStatusOf(person)).toBe("PENDING_OAUTH");
    expect(await rowOf(person)).toMatchObject({ linkedProfileId: null, sealedToken: null });

    // The page redirects to the registered address only.
    const evil = new URL(await next());
    for (const uri of ["https://evil.example/", `${service.url}/callbacks/monerium/oauth@evil.example`]) {
      evil.searchParams.set("redirect_uri", uri);
      expect(await agree(evil.href, email)).toContain("redirect_uri is not registered");
    }
    expect(await comeBack(await agree(await next(), email))).toBe(backWith("linked"));
    await assigned(person);
  }, 60_000);

  test("is not linked by a consent whose code is exchanged while the IBAN is reset", async () => {
    const { person, redirectUrl } = await newKnownHolder();
    fault = async (call, forward) => {
      if (call === "POST /auth/token") expect((await person.call("DELETE", "/ibans/reset")).status).toBe(200);
      return forward();
    };
    expect(await comeBack(await agree(redirectUrl, await emailOf(person)))).toBe(backWith("failed"));
    fault = null;
    expect(await rowOf(person)).toMatchObject({ status: "NOTSTARTED", linkedProfileId: null, sealedToken: null });
  });

  test("is linked by no earlier or later link while the approval is withdrawn or the risk is red", async () => {
    const rate = ({ userId }: Person, risk: "red" | "green") =>
      setRisk(operatorOf(service.runtime, "test"), { reference: userId ?? "", risk });
    const rejectDuring = async (person: Person) => {
      fault = async (call, forward) => {
        if (call === "POST /auth/token") await review(person, "rejected");
        return forward();
      };
    };
    const approve = async (person: Person) => {
      fault = null;
      await review(person, "approved");
    };
    const blocks: readonly [
      block: (person: Person) => Promise<unknown>,
      unblock: (person: Person) => Promise<unknown>,
    ][] = [
      [(person) => review(person, "rejected"), approve],
      [(person) => rate(person, "red"), (person) => rate(person, "green")],
      [rejectDuring, approve],
    ];
    for (const [block, unblock] of blocks) {
      const { person, redirectUrl } = await newKnownHolder();
      const email = await emailOf(person);
      const next = async () => {
        const query = new URLSearchParams({ callbackUrl: appUrl() });
        return (await person.call("GET", `/ibans/oauth/redirect_url?${query}`)).body.data.redirectUrl as string;
      };
      await block(person);
      for (const link of [redirectUrl, await next()])
        expect(await comeBack(await agree(link, email))).toBe(backWith("failed"));
      expect(await rowOf(person)).toMatchObject({ status: "PENDING_OAUTH", linkedProfileId: null, sealedToken: null });
      await unblock(person);
      expect(await comeBack(await agree(await next(), email))).toBe(backWith("linked"));
      await assignedInTime(person);
    }
  }, 60_000);

  test("cannot be led to agree by a stranger who signed up with their address: a code proves the address first", async () => {
    const eve = await newHolder();
    const email = await emailOf(eve);
    await eve.sandbox("POST", "/emoney/profiles", { email });
    const query = new URLSearchParams({ callbackUrl: appUrl() });
    const { redirectUrl } = (await eve.call("GET", `/ibans/oauth/redirect_url?${query}`)).body.data;
    expect(redirectUrl).toStartWith(`${service.runtime.settings.publicUrl}/callbacks/monerium/email?state=`);
    const enter = (code: string) =>
      fetch(redirectUrl, { method: "POST", body: new URLSearchParams({ code }), redirect: "manual" });
    expect((await enter("000000")).status).toBe(200);
    const asksForCode = async (init: RequestInit = {}) => {
      const page = await fetch(redirectUrl, init);
      return [page.status, (await page.text()).includes(`name="code"`)];
    };
    expect(await asksForCode()).toEqual([200, false]);
    // A second click, and the page opened again, leave the field for the code that was mailed.
    expect(await asksForCode({ method: "POST" })).toEqual([200, true]);
    expect(await asksForCode({ method: "POST" })).toEqual([429, true]);
    expect(await asksForCode()).toEqual([200, true]);
    const { body: mails } = await eve.sandbox("GET", `/mailbox?to=${email}`);
    const right: string = mails[0].code;
    for (let next = 1; next <= 5; next++) {
      const wrong = `${right.slice(0, 5)}${(Number(right[5]) + next) % 10}`;
      expect(await (await enter(wrong)).text()).toContain("wrong or too old");
    }
    // Five wrong codes void the mailed one.
    expect(await asksForCode()).toEqual([200, false]);
    expect((await enter(right)).headers.get("location")).toBeNull();
    const again = await fetch(redirectUrl, { method: "POST" });
    expect([again.status, await again.text()]).toEqual([429, expect.stringContaining("Wait a minute")]);
    // The institution's own page, opened without ours, links nothing either.
    const state = new URL(redirectUrl).searchParams.get("state") ?? "";
    const { emoney, policy } = service.runtime.services;
    const past = emoney.buildConsentUrl({ redirectUri: policy.emoney.consentReturnUrl, state, verifier: "x", email });
    expect(await comeBack(await agree(past, email))).toBe(backWith("failed"));
    for (const unknown of ["", "?state=", "?state=unknown"]) {
      const page = await fetch(`${service.url}/callbacks/monerium/email${unknown}`);
      expect(page.status).toBe(400);
    }
    // An address proven at sign-up leads to the institution at once.
    const ada = await new Person(service).signIn();
    await ada.call("POST", "/auth/signup/otp", { email: "proven@example.org" });
    const { body: sent } = await ada.sandbox("GET", "/mailbox?to=proven@example.org");
    await ada.signUp({ authEmail: "proven@example.org", otp: sent[0].code });
    const direct = (await ada.call("GET", "/ibans/oauth/redirect_url")).body.data.redirectUrl;
    expect(direct).toStartWith(service.runtime.settings.emoney.consentUrl);
  }, 60_000);

  test("comes back after an erasure, consents, and has an IBAN and its orders, whoever made the profile", async () => {
    for (const isOurs of [false, true]) {
      const former = isOurs ? { person: await newHolder(), redirectUrl: null } : await newKnownHolder();
      const email = await emailOf(former.person);
      if (former.redirectUrl === null) await becomeIbanHolder(former.person);
      else expect(await comeBack(await agree(former.redirectUrl, email))).toBe(backWith("linked"));
      await assignedInTime(former.person);
      await eraseUser(operatorOf(service.runtime, "test"), { reference: former.person.userId ?? "" });
      const person = await (await new Person(service).signIn()).signUp({ authEmail: email });
      await person.sandbox("POST", `/kyc/${person.userId}/review`, {
        outcome: "approved",
        applicant: { firstName: "Ada", lastName: "Lovelace" },
      });
      await person.call("POST", "/safe/deploy");
      await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok");
      await person.sandbox("POST", "/emoney/profiles", { email });
      const { errors } = (await ask(person, { callbackUrl: appUrl() })).body;
      expect(await comeBack(await agree(await proveOnPage(person, errors.redirectUrl), email))).toBe(
        backWith("linked"),
      );
      await assignedInTime(person);
      const { iban } = (await person.call("GET", "/ibans/details")).body.data;
      await person.sandbox("POST", "/emoney/incoming", { iban, amount: "7" });
      expect((await person.call("GET", "/ibans/orders")).body.data).toMatchObject([
        { amount: "7", state: "processed" },
      ]);
    }
  }, 60_000);

  test("may agree before signing, and lands on our own page if no app is named", async () => {
    const person = await newHolder();
    const email = await emailOf(person);
    await person.sandbox("POST", "/emoney/profiles", { email });
    const { redirectUrl } = (await person.call("GET", "/ibans/oauth/redirect_url")).body.data;
    const reported = await comeBack(await agree(await proveOnPage(person, redirectUrl), email));
    expect(reported).toBe("200 Your account is linked. You can go back to the app.");
    expect(await ibanStatusOf(person)).toBe("NOTSTARTED");
    await becomeIbanHolder(person);
    expect(await movesOf(person)).toEqual(["PENDING", "ASSIGNED"]);
  }, 30_000);
});

describe("an IBAN that is reset while the institution opens it", () => {
  /** A person whose IBAN was asked for, and who resets it while the job waits, until `release`, for what is assigned. */
  async function resetWhileOpened(answer: (name: { profile: string; address: string }) => object[]) {
    const person = await newHolder();
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    fault = async (call, forward) => {
      if (call === "POST /ibans") return later();
      if (call !== "GET /ibans") return forward();
      isHeld = true;
      await gate.promise;
      return Response.json({ ibans: answer(name) });
    };
    expect((await ask(person)).status).toBe(200);
    const { profileId: profile, address } = await rowOf(person);
    const name = { profile, address: address ?? "0x" };
    await until(() => isHeld);
    expect((await person.call("DELETE", "/ibans/reset")).status).toBe(200);
    return { person, ...name, release: gate.resolve };
  }
  const jobsOf = async (userId: string) => {
    const rows = await service.runtime.db.execute(sql`
      select id from graphile_worker._private_jobs where key = ${`iban.open:${userId}`}`);
    return rows.length;
  };
  const toClose = (profile: string) => ({
    kind: "iban_to_close" as const,
    status: "OPEN" as const,
    note: expect.stringContaining(profile),
  });

  test("is kept: its late callback names it, its money is the user's, and a block asks to close it", async () => {
    const { person, profile, address, release } = await resetWhileOpened(() => []);
    release();
    expect(await deliver("iban.updated", { ...assignedLater, profile, address })).toBe(200);
    expect(await archiveOf(person)).toMatchObject([{ profileId: profile, address, iban: assignedLater.iban }]);
    expect(await rowOf(person)).toMatchObject({ status: "NOTSTARTED", iban: null, address: null });
    const id = randomUUID();
    const order = {
      id,
      kind: "issue",
      profile,
      address,
      chain: "gnosis",
      currency: "eur",
      amount: "10",
      counterpart: { details: {}, identifier: { standard: "iban", iban: "DE89370400440532013000" } },
      state: "pending",
      meta: { placedAt: "2026-01-01T10:00:00.000Z" },
    };
    expect(await deliver("order.created", order)).toBe(200);
    expect((await person.call("GET", "/ibans/orders")).body.data).toMatchObject([{ id, amount: "10" }]);
    expect(await casesOf(person)).toEqual([]);
    const reference = person.userId ?? "";
    await setUserStatus(operatorOf(service.runtime, "test"), { reference, status: "DEACTIVATED" });
    expect(await casesOf(person)).toEqual([toClose(profile)]);
  }, 30_000);

  test("is asked to be closed again where its name comes after that case was closed, by a callback or by the job", async () => {
    for (const isCalledBack of [true, false]) {
      const { person, profile, address, release } = await resetWhileOpened((name) =>
        isCalledBack ? [] : [{ ...assignedLater, ...name }],
      );
      const reference = person.userId ?? "";
      await setUserStatus(operatorOf(service.runtime, "test"), { reference, status: "DEACTIVATED" });
      const [asked] = await service.runtime.db.select().from(cardCases).where(eq(cardCases.subjectId, reference));
      await closeCase(operatorOf(service.runtime, "the institution opened none"), { id: asked?.id ?? "" });
      expect(await casesOf(person)).toMatchObject([{ status: "CLOSED" }]);
      release();
      if (isCalledBack) expect(await deliver("iban.updated", { ...assignedLater, profile, address })).toBe(200);
      await until(async () => (await archiveOf(person)).some(({ iban }) => iban === assignedLater.iban));
      expect(await casesOf(person)).toEqual([toClose(profile)]);
    }
  }, 60_000);

  test("is named by the job that finds it; an erasure asks to close it, and no late callback names it again", async () => {
    const { person, profile, address, release } = await resetWhileOpened((name) => [{ ...assignedLater, ...name }]);
    release();
    await until(async () => (await archiveOf(person)).some(({ iban }) => iban === assignedLater.iban));
    await eraseUser(operatorOf(service.runtime, "test"), { reference: person.userId ?? "" });
    expect(await casesOf(person)).toEqual([toClose(profile)]);
    expect(await deliver("iban.updated", { ...assignedLater, profile, address })).toBe(200);
    expect(await archiveOf(person)).toMatchObject([{ profileId: profile, address, iban: "erased", bic: null }]);
  }, 30_000);

  test("is not named by a job that finds it after the erasure", async () => {
    const { person, profile, address, release } = await resetWhileOpened((name) => [{ ...assignedLater, ...name }]);
    const userId = person.userId ?? "";
    await eraseUser(operatorOf(service.runtime, "test"), { reference: userId });
    release();
    await until(async () => (await jobsOf(userId)) === 0);
    expect(await archiveOf(person)).toMatchObject([{ profileId: profile, address, iban: "erased", bic: null }]);
  }, 30_000);

  test("does not hide the IBAN of an earlier reset, and is assigned as any other once it is asked for again", async () => {
    const person = await newHolder();
    const iban = await becomeIbanHolder(person);
    const reset = async () => expect((await person.call("DELETE", "/ibans/reset")).status).toBe(200);
    await reset();
    fault = (call) => (call === "GET /ibans" ? Response.json({ ibans: [] }) : null);
    expect((await ask(person)).status).toBe(200);
    await reset();
    expect(await archiveOf(person)).toMatchObject([{ iban }]);
    fault = null;
    expect(await becomeIbanHolder(person)).toBe(iban);
  }, 30_000);
});

describe("an IBAN of a Safe that its person gives up", () => {
  /** The case names each Safe. */
  const toClose = (profile: string, ...given: (string | null)[]) => [
    {
      kind: "iban_of_former_safe" as const,
      status: "OPEN" as const,
      note: expect.stringMatching(new RegExp(given.map((safe) => `(?=.*${profile} at ${safe})`).join(""))),
    },
  ];
  const ofBlock = (status: "OPEN" | "CLOSED", profile: string) => {
    const note = expect.stringContaining(`rejected by the identity provider. Close each IBAN of profile ${profile}`);
    return { kind: "iban_to_close" as const, status, note };
  };
  const available = async (person: Person) => (await person.call("GET", "/ibans/available")).body.data.available;
  /** Of a Safe whose setup has changed. */
  const giveUp = async (person: Person) => {
    const { address } = (await person.call("GET", "/safe/config")).body;
    const abi = parseAbi(["function enableModule(address module)"]);
    const stranger = "0x000000000000000000000000000000000000bEEF";
    const data = encodeFunctionData({ abi, functionName: "enableModule", args: [stranger] });
    await openNode(service.rpcUrl).sendAs(address, { to: address, data });
    expect((await person.call("DELETE", "/safe/reset")).status).toBe(200);
  };
  /** As version 1.1.0 did, which left the IBAN as it was. */
  const leave = (on: Pick<typeof service.runtime.db, "update">, { userId }: Person) =>
    on
      .update(safes)
      .set({ status: "reset" })
      .where(and(eq(safes.userId, userId ?? ""), eq(safes.status, "ok")));
  const deployAgain = async (person: Person): Promise<string> => {
    expect((await person.call("POST", "/safe/deploy")).status).toBe(202);
    await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok");
    return (await person.call("GET", "/safe/config")).body.address;
  };

  test("is asked to be closed whatever else has a case, and each later Safe gets one of its own, also behind one that was left", async () => {
    const person = await newHolder();
    let iban = await becomeIbanHolder(person);
    const { profileId, address } = await rowOf(person);
    await giveUp(person);
    expect(await rowOf(person)).toMatchObject({ status: "NOTSTARTED", iban: null, address: null, signature: null });
    expect(await archiveOf(person)).toMatchObject([{ profileId, address, iban }]);
    expect(await casesOf(person)).toEqual(toClose(profileId, address));
    const given = [address];
    for (const isLeft of [false, true]) {
      if (isLeft) {
        given.push((await rowOf(person)).address);
        await leave(service.runtime.db, person);
      }
      const next = await deployAgain(person);
      expect(await available(person)).toBe(true);
      const former = iban;
      iban = await becomeIbanHolder(person);
      expect(iban).not.toBe(former);
      await person.sandbox("POST", "/emoney/incoming", { iban, amount: "3" });
      expect((await person.call("GET", "/ibans/orders")).body.data[0]).toMatchObject({ amount: "3", address: next });
      expect((await person.call("GET", "/ibans/details")).body.data.address).toBe(next);
      expect(await available(person)).toBe(false);
      // The next IBAN is no reason to leave the former one open.
      expect(await casesOf(person)).toEqual(toClose(profileId, ...given));
    }
    expect(await archiveOf(person)).toHaveLength(2);
    // A block has a case of its own, which ends with it.
    await review(person, "rejected");
    expect(await casesOf(person)).toEqual([...toClose(profileId, ...given), ofBlock("OPEN", profileId)]);
    await review(person, "approved");
    expect(await casesOf(person)).toEqual([...toClose(profileId, ...given), ofBlock("CLOSED", profileId)]);
    await eraseUser(operatorOf(service.runtime, "test"), { reference: person.userId ?? "" });
    expect(await casesOf(person)).toMatchObject([{ status: "OPEN" }, { kind: "iban_to_close", status: "OPEN" }]);
  }, 60_000);

  test("is not opened where it was asked for before, and its late callback opens the case again, but brings it not back", async () => {
    const person = await newHolder();
    fault = (call) => (call === "POST /ibans" ? later() : null);
    expect((await ask(person)).status).toBe(200);
    const { profileId: profile, address } = await rowOf(person);
    // The person cannot replace the case of the block by giving up the Safe.
    await review(person, "rejected");
    await giveUp(person);
    expect(await casesOf(person)).toEqual([...toClose(profile, address), ofBlock("OPEN", profile)]);
    await review(person, "approved");
    const isOfPerson = and(eq(cardCases.subjectId, person.userId ?? ""), eq(cardCases.kind, "iban_of_former_safe"));
    const [early] = await service.runtime.db.select().from(cardCases).where(isOfPerson);
    await closeCase(operatorOf(service.runtime, "the institution opened none"), { id: early?.id ?? "" });
    expect(await casesOf(person)).toMatchObject([{ status: "CLOSED" }, { status: "CLOSED" }]);
    expect(await deliver("iban.updated", { ...assignedLater, iban: "DE02120300000000202051", profile, address })).toBe(
      200,
    );
    expect(await rowOf(person)).toMatchObject({ status: "NOTSTARTED", iban: null, address: null });
    expect(await archiveOf(person)).toMatchObject([{ address, iban: "DE02120300000000202051" }]);
    expect(await casesOf(person)).toEqual([...toClose(profile, address), ofBlock("CLOSED", profile)]);
  }, 60_000);

  test("is not asked for by a request that read the Safe before it was given up", async () => {
    const { db } = service.runtime;
    const person = await newHolder();
    const begun = await db.transaction(async (tx) => {
      await lockUser(tx, person.userId ?? "");
      const answer = ask(person);
      await until(async () => (await countLockWaits(db)) > 0);
      await leave(tx, person);
      return { answer };
    });
    expect((await begun.answer).status).toBe(404);
    expect(await ibanStatusOf(person)).toBe("NOTSTARTED");
  }, 60_000);

  test("is opened by no later consent, which counts for the next Safe once its owner signs", async () => {
    const { person, redirectUrl } = await newKnownHolder();
    await leave(service.runtime.db, person);
    const next = await deployAgain(person);
    expect(await comeBack(await agree(redirectUrl, await emailOf(person)))).toBe(backWith("linked"));
    expect(await rowOf(person)).toMatchObject({ status: "PENDING_OAUTH", linkedProfileId: expect.any(String) });
    await becomeIbanHolder(person);
    expect(await rowOf(person)).toMatchObject({ status: "ASSIGNED", address: next });
  }, 60_000);
});

test("an IBAN of a person whom the institution turns down is kept, as it may come after all", async () => {
  const person = await newHolder();
  fault = answerProfiles("rejected");
  expect((await ask(person)).status).toBe(200);
  const { profileId: profile, address } = await rowOf(person);
  await untilInTime(person, async () => (await ibanStatusOf(person)) === "NOTSTARTED");
  expect(await archiveOf(person)).toMatchObject([{ profileId: profile, address, iban: "awaited" }]);
}, 60_000);

test("a subscription that lacks types of events gets them, and keeps its id", async () => {
  const { db } = service.runtime;
  const [known] = await listEmoneyRecords(db, "subscription");
  if (!known) throw new Error("There is no subscription");
  const data = { ...(known.data as object), types: ["iban.updated", "profile.updated"] };
  await putEmoneyRecord(db, { kind: "subscription", id: known.id, data });
  const person = await newHolder();
  const iban = await becomeIbanHolder(person);
  await person.sandbox("POST", "/emoney/incoming", { iban, amount: "3" });
  expect((await person.call("GET", "/ibans/orders")).body.data).toMatchObject([{ amount: "3", state: "processed" }]);
  const all = await listEmoneyRecords(db, "subscription");
  const types = expect.arrayContaining(["order.created", "order.updated"]);
  expect(all.map((each) => [each.id, each.data])).toEqual([[known.id, expect.objectContaining({ types })]]);
}, 60_000);

describe("an order of the institution", () => {
  const caseOf = async (orderId: string, kind?: CardCaseKind) =>
    (await service.runtime.db.select().from(cardCases).where(eq(cardCases.ibanOrderId, orderId))).find(
      (each) => kind === undefined || each.kind === kind,
    );
  const orderOf = async (orderId: string) =>
    (await service.runtime.db.select().from(ibanOrders).where(eq(ibanOrders.id, orderId)))[0];
  const placedAt = "2026-01-01T10:00:00.000Z";

  test("is kept and shown with an account that has no IBAN", async () => {
    const person = await newHolder();
    const iban = await becomeIbanHolder(person);
    const { profileId, address } = await rowOf(person);
    const of = (identifier: object) => ({
      id: randomUUID(),
      kind: "issue",
      profile: profileId,
      address,
      chain: "gnosis",
      currency: "gbp",
      amount: "10",
      counterpart: { details: { name: "Charles" }, identifier },
      state: "pending",
      meta: { placedAt },
    });
    const british = { standard: "scan", sortCode: "60-16-13", accountNumber: "31926819" };
    expect(await deliver("order.created", of(british))).toBe(200);
    expect(await deliver("order.created", of({ standard: "account", account: "0123", secret: {} }))).toBe(200);
    expect(await deliver("order.created", of({ standard: "iban", iban: `${iban}0` }))).toBe(422);
    const { body } = await person.call("GET", "/ibans/orders");
    expect(body.data.map(({ counterpart }: { counterpart: { identifier: object } }) => counterpart.identifier)).toEqual(
      expect.arrayContaining([british, { standard: "account", accountNumber: "0123" }]),
    );
  }, 30_000);

  test("at an account whose IBAN was reset is of the user who reset it, also once another user has the profile", async () => {
    const [ada, bob] = await Promise.all([newHolder(), newHolder()]);
    await Promise.all([becomeIbanHolder(ada), becomeIbanHolder(bob)]);
    const { address } = await rowOf(ada);
    const { profileId: profile } = await rowOf(bob);
    const archivedAt = new Date();
    const userId = ada.userId ?? "";
    await service.runtime.db
      .insert(archivedIbans)
      .values({ userId, profileId: profile, address: address ?? "0x", iban: "XX00", archivedAt });
    const counterpart = { details: {}, identifier: { standard: "iban", iban: "DE89370400440532013000" } };
    const fixed = { kind: "issue", profile, chain: "gnosis", currency: "eur", state: "pending", meta: { placedAt } };
    const [former, present] = [randomUUID(), randomUUID()];
    const order = { ...fixed, counterpart, amount: "10" };
    expect(await deliver("order.created", { ...order, id: former, address })).toBe(200);
    expect(await deliver("order.created", { ...order, id: present, address: (await rowOf(bob)).address })).toBe(200);
    expect([(await orderOf(former))?.userId, (await orderOf(present))?.userId]).toEqual([userId, bob.userId ?? ""]);
  }, 30_000);

  test("is tied to the one mint that paid it; a second one of that mint, none, and a recall are cases", async () => {
    const person = await newHolder();
    const iban = await becomeIbanHolder(person);
    const { profileId, address } = await rowOf(person);
    const { body } = await person.sandbox("POST", "/emoney/incoming", { iban, amount: "25.50" });
    const { orderId, transactionHash } = body;
    await until(async () => (await orderOf(orderId))?.mintHash === transactionHash);
    expect(await orderOf(orderId)).toMatchObject({
      amount: "25.50",
      txHashes: [transactionHash],
      processedAt: expect.any(Date),
    });
    expect(await caseOf(orderId)).toBeUndefined();
    const [sum] = await service.runtime.db.execute<{ sum: string }>(sql`
      select sum(amount)::text from iban_orders where user_id = ${person.userId}`);
    expect(sum?.sum).toBe("25.50");
    for (const amount of ["0", "-1", "NaN", "Infinity"])
      await expect(
        service.runtime.db
          .execute(sql`update iban_orders set amount = ${amount} where id = ${orderId}`)
          .then(() => null),
      ).rejects.toMatchObject({ cause: { constraint_name: "iban_orders_amount" } });

    const order = {
      kind: "issue",
      profile: profileId,
      address,
      chain: "gnosis",
      currency: "eur",
      state: "processed",
      counterpart: { details: {}, identifier: { standard: "iban", iban } },
      referenceNumber: "RF18",
      meta: {
        placedAt,
        processedAt: placedAt,
        txHashes: [transactionHash],
      },
    };
    const [twin, other, recalled] = [randomUUID(), randomUUID(), randomUUID()];
    expect(await deliver("order.updated", { ...order, id: twin, amount: "25.5" })).toBe(200);
    expect(await deliver("order.updated", { ...order, id: other, amount: "25.51" })).toBe(200);
    const expected = [
      [twin, "iban_mint_duplicate", 2_550n],
      [other, "iban_mint_missing", 2_551n],
    ] as const;
    for (const [id, kind, amountCents] of expected) {
      await until(async () => (await caseOf(id)) !== undefined);
      expect(await caseOf(id)).toMatchObject({ kind, amountCents, currency: "EUR", status: "OPEN" });
      expect(await orderOf(id)).toMatchObject({ mintHash: null, referenceNumber: "RF18" });
    }

    expect(await deliver("order.updated", { ...order, id: recalled, amount: "3" })).toBe(200);
    const meta = { placedAt, rejectedReason: "recalled by the sender's bank" };
    const back = { ...order, id: recalled, amount: "99", state: "rejected", meta };
    expect(await deliver("order.updated", back)).toBe(200);
    const { rejectedReason } = meta;
    expect(await orderOf(recalled)).toMatchObject({
      state: "rejected",
      amount: "3",
      rejectedReason,
      txHashes: [transactionHash],
    });
    expect(await caseOf(recalled, "iban_recall")).toMatchObject({ amountCents: 300n, status: "OPEN" });
  }, 60_000);

  test("is a recall also where its rejection comes before the report of its mint, or alone, and not without a mint", async () => {
    const person = await newHolder();
    const iban = await becomeIbanHolder(person);
    const { profileId, address } = await rowOf(person);
    const minted = { placedAt, processedAt: placedAt, txHashes: [`0x${"ab".repeat(32)}`] };
    const report = (id: string, state: string, fields: object) =>
      deliver("order.updated", {
        id,
        kind: "issue",
        profile: profileId,
        address,
        chain: "gnosis",
        currency: "eur",
        amount: "3",
        counterpart: { details: {}, identifier: { standard: "iban", iban } },
        state,
        meta: { placedAt },
        ...fields,
      });
    const [placed, unknown, unpaid, outgoing] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    expect(await report(placed, "placed", {})).toBe(200);
    for (const id of [placed, unknown]) {
      expect(await report(id, "rejected", { meta: minted })).toBe(200);
      expect(await caseOf(id, "iban_recall")).toMatchObject({ amountCents: 300n, currency: "EUR", status: "OPEN" });
      expect(await report(id, "processed", { meta: minted })).toBe(200);
      expect(await orderOf(id)).toMatchObject({ state: "rejected", txHashes: minted.txHashes });
    }
    expect(await report(unpaid, "rejected", {})).toBe(200);
    expect(await report(outgoing, "rejected", { kind: "redeem", meta: minted })).toBe(200);
    for (const id of [unpaid, outgoing]) {
      expect(await orderOf(id)).toMatchObject({ state: "rejected" });
      expect(await caseOf(id, "iban_recall")).toBeUndefined();
    }
  }, 30_000);
});
