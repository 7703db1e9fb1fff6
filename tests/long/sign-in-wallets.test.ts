import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { deployments } from "@cardkeep/chain/deployments";
import { tokens } from "@cardkeep/chain/tokens";
import type { Tx } from "@cardkeep/db/client";
import { listOthersAddresses, listOwnAddresses } from "@cardkeep/db/queries/cards/orders";
import { findNewestSafe } from "@cardkeep/db/queries/accounts/safes";
import { listMessages } from "@cardkeep/db/queries/users/messages";
import { proveSignInWallet, removeSignInWallet } from "@cardkeep/db/queries/users/users";
import { removedSignInWallets, signInWallets, userTokens } from "@cardkeep/db/schema/tables";
import { ttl } from "@cardkeep/contract/users/auth";
import { deleteOldRows, forgetRemovedWallets } from "@cardkeep/domain/operations/housekeeping/deleteOldRows";
import { createRemovedWallets } from "@cardkeep/domain/core/accessTokens/removedWallets";
import { languageOf } from "@cardkeep/domain/core/messages/composeMessage";
import { describeMessage } from "@cardkeep/domain/users/messages/describeMessage";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { eq, sql } from "drizzle-orm";
import { askCli } from "../support/cli.ts";
import { countLockWaits } from "../support/locks.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: false });
});
afterAll(() => service.stop());

const signedUp = async (): Promise<Person> => (await new Person(service).signIn()).signUp();
const join = async (user: Person, wallet: Person): Promise<string> =>
  (await user.call("POST", "/eoa-accounts", { address: wallet.account.address })).body.id;

describe("POST /eoa-accounts", () => {
  test("a further wallet signs in as the same user, in any letter case", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    const added = await ada.call("POST", "/eoa-accounts", { address: second.account.address.toLowerCase() });
    expect(added.status).toBe(201);
    expect(added.body).toEqual({
      id: expect.any(String),
      address: second.account.address,
      userId: ada.userId,
      createdAt: expect.stringMatching(/Z$/),
    });
    await second.signIn();
    expect((await second.call("GET", "/user")).body.id).toBe(ada.userId);
    expect((await second.call("GET", "/eoa-accounts")).body.data.eoaAccounts).toHaveLength(2);
  });

  test("a wallet that another user added signs up for itself; the binding and its tokens end", async () => {
    const [eve, bob] = [await signedUp(), new Person(service)];
    await join(eve, bob);
    await bob.signIn();
    const asEve = bob.token;
    await bob.signUp();
    expect((await bob.call("GET", "/user")).body).toMatchObject({ id: bob.userId });
    expect(bob.userId).not.toBe(eve.userId);
    expect((await eve.call("GET", "/eoa-accounts")).body.data.eoaAccounts).toHaveLength(1);
    const own = bob.token;
    bob.token = asEve;
    expect((await bob.call("GET", "/user")).status).toBe(401);
    await bob.signIn();
    expect((await bob.call("GET", "/user")).body.id).toBe(bob.userId);
    // The wallet of a sign-up stays, and so does the last one that can sign in.
    bob.token = own;
    expect((await bob.call("POST", "/auth/signup", { authEmail: "again@example.org" })).status).toBe(409);
    const [ada, second] = [await signedUp(), new Person(service)];
    await join(ada, second);
    await second.signIn();
    const [, first] = (await ada.call("GET", "/eoa-accounts")).body.data.eoaAccounts;
    expect((await second.call("DELETE", `/eoa-accounts/${first.id}`)).status).toBe(200);
    expect((await second.call("POST", "/auth/signup", { authEmail: "leaves@example.org" })).status).toBe(409);
  });

  test("a wallet that never signed in does not count as the user's", async () => {
    const [ada, stranger] = [await signedUp(), new Person(service)];
    await join(ada, stranger);
    const wallets: { id: string; address: string }[] = (await ada.call("GET", "/eoa-accounts")).body.data.eoaAccounts;
    const own = wallets.find(({ address }) => address === ada.account.address);
    expect((await ada.call("DELETE", `/eoa-accounts/${own?.id}`)).status).toBe(403);
    const { db } = service.runtime;
    expect(await listOwnAddresses(db, ada.userId ?? "")).toEqual(new Set([ada.account.address]));
    expect(await listOthersAddresses(db, "another", [stranger.account.address])).toEqual(new Set());
    await stranger.signIn();
    expect(await listOwnAddresses(db, ada.userId ?? "")).toContain(stranger.account.address);
    expect((await stranger.call("DELETE", `/eoa-accounts/${own?.id}`)).status).toBe(200);
  });

  test("addresses that cannot sign for a person are refused: keys of the service, contracts of accounts, precompiles", async () => {
    const ada = await signedUp();
    const { relayerAddresses, operatorAddress, spenderAddress, settlementAddress, treasuryAddress } =
      service.runtime.services.policy;
    const ofService = [...relayerAddresses, operatorAddress, spenderAddress, settlementAddress, treasuryAddress];
    const precompiles = ["0", "1", "9"].map((digit) => `0x${digit.padStart(40, "0")}`);
    for (const address of [...ofService, ...precompiles, ...Object.values(deployments), tokens.EURe.address]) {
      const { status, body } = await ada.call("POST", "/eoa-accounts", { address });
      expect([address, status, body]).toEqual([address, 422, { error: "This address cannot sign in" }]);
    }
    // Its addresses are known from the request on, before it is on chain.
    const owner = await new Person(service).becomeApproved();
    await owner.call("POST", "/safe/deploy");
    const safe = await findNewestSafe(service.runtime.db, owner.userId ?? "");
    for (const address of [safe?.address, safe?.delayAddress, safe?.rolesAddress, safe?.bouncerAddress])
      expect((await owner.call("POST", "/eoa-accounts", { address })).status).toBe(422);
    expect((await ada.call("POST", "/eoa-accounts", { address: safe?.address })).status).toBe(422);
  });

  test("twenty wallets are the maximum, also when many are added in parallel", async () => {
    const ada = await signedUp();
    const add = () => ada.call("POST", "/eoa-accounts", { address: new Person(service).account.address });
    const answers = await Promise.all(Array.from({ length: 25 }, add));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(19);
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body]).toEqual([409, { error: "An account has at most 20 sign-in wallets" }]);
  });

  test("an address that is bound to a user is 409, and 20 in parallel bind it once", async () => {
    const [ada, bea, shared] = [await signedUp(), await signedUp(), new Person(service)];
    expect((await bea.call("POST", "/eoa-accounts", { address: ada.account.address })).status).toBe(409);
    expect((await ada.call("POST", "/eoa-accounts", { address: ada.account.address })).body).toEqual({
      error: "This address already belongs to an account",
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? ada : bea).call("POST", "/eoa-accounts", { address: shared.account.address }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  test.each([{ body: undefined }, { body: {} }, { body: { address: "0x12" } }, { body: { address: 7 } }, { body: [] }])(
    "%p is 400, and nothing is written",
    async ({ body }) => {
      const ada = await signedUp();
      expect((await ada.call("POST", "/eoa-accounts", body)).status).toBe(400);
      expect((await ada.call("GET", "/eoa-accounts")).body.data.eoaAccounts).toHaveLength(1);
    },
  );
});

describe("DELETE /eoa-accounts/{id}", () => {
  test("the removed wallet's tokens end at once, the others stay valid, and it cannot sign in as the user", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    await second.signIn();
    expect(await ada.call("DELETE", `/eoa-accounts/${id}`)).toMatchObject({ status: 200, body: { data: { id } } });
    expect(await second.call("GET", "/user")).toMatchObject({ status: 401, body: { message: "Unauthorized" } });
    expect((await ada.call("GET", "/user")).status).toBe(200);
    await second.signIn();
    expect((await second.call("GET", "/user")).status).toBe(401);
  });

  test("a wallet that was removed and added again signs in with a new token; its old token stays invalid", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    await ada.call("DELETE", `/eoa-accounts/${await join(ada, second)}`);
    await join(ada, second);
    await second.signIn();
    expect((await second.call("GET", "/user")).status).toBe(200);
    const old = second.token;
    const { body } = await ada.call("GET", "/eoa-accounts");
    const { id } = body.data.eoaAccounts.find(
      (wallet: { address: string }) => wallet.address === second.account.address,
    );
    await ada.call("DELETE", `/eoa-accounts/${id}`);
    await join(ada, second);
    await second.signIn();
    expect((await second.call("GET", "/user")).status).toBe(200);
    second.token = old;
    expect((await second.call("GET", "/user")).status).toBe(401);
  });

  test("the last wallet cannot be removed: 403, also when two removals race for the last two", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    const [own] = (await ada.call("GET", "/eoa-accounts")).body.data.eoaAccounts;
    expect(await ada.call("DELETE", `/eoa-accounts/${own.id}`)).toMatchObject({
      status: 403,
      body: { error: "The last sign-in wallet cannot be removed" },
    });
    const id = await join(ada, second);
    await second.signIn();
    const answers = await Promise.all([
      ada.call("DELETE", `/eoa-accounts/${id}`),
      second.call("DELETE", `/eoa-accounts/${own.id}`),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("another user's wallet is answered like an unknown one, for any form of the id", async () => {
    const [ada, bea, second] = [await signedUp(), await signedUp(), new Person(service)];
    const id = await join(ada, second);
    const answers = await Promise.all(
      [id, "unknown", "0".repeat(500), "%00", "%ff", "%E0%A4%A"].map((path) =>
        bea.call("DELETE", `/eoa-accounts/${path}`),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, body: { error: "EOA account not found" } });
    expect((await ada.call("GET", "/eoa-accounts")).body.data.eoaAccounts).toHaveLength(2);
  });
});

describe("every instance", () => {
  test("applies a removal within a second", async () => {
    const runtime = await createRuntime(readSettings(service.env), "server");
    const other = createServer(runtime);
    const elsewhere = { url: `http://127.0.0.1:${other.listen(0)}`, sandboxUrl: service.sandboxUrl };
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    await second.signIn();
    const away = new Person(elsewhere);
    away.token = second.token;
    expect((await away.call("GET", "/user")).status).toBe(200);
    await ada.call("DELETE", `/eoa-accounts/${id}`);
    await until(async () => (await away.call("GET", "/user")).status === 401);
    away.token = ada.token;
    expect((await away.call("GET", "/user")).status).toBe(200);
    await other.stop();
    await runtime.close();
  });

  test("applies a removal by a server whose clock is minutes behind", async () => {
    const runtime = await createRuntime(readSettings(service.env), "server");
    const other = createServer(runtime);
    const elsewhere = { url: `http://127.0.0.1:${other.listen(0)}`, sandboxUrl: service.sandboxUrl };
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    await second.signIn();
    const away = new Person(elsewhere);
    away.token = second.token;
    expect((await away.call("GET", "/user")).status).toBe(200);
    setSystemTime(new Date(Date.now() - 300_000));
    try {
      expect((await ada.call("DELETE", `/eoa-accounts/${id}`)).status).toBe(200);
    } finally {
      setSystemTime();
    }
    await until(async () => (await away.call("GET", "/user")).status === 401);
    await other.stop();
    await runtime.close();
  });

  test("applies a removal until the last token of a server has ended whose clock is ahead", async () => {
    const aheadMs = 60_000;
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    setSystemTime(new Date(Date.now() + aheadMs));
    try {
      const asked = { ...(await second.signMessage()), ttlInSeconds: ttl.max };
      second.token = (await second.call("POST", "/auth/challenge", asked)).body.token;
    } finally {
      setSystemTime();
    }
    await ada.call("DELETE", `/eoa-accounts/${id}`);
    const { db } = service.runtime;
    const laterMs = ttl.max * 1_000 + aheadMs / 2;
    await db
      .update(removedSignInWallets)
      .set({ removedAt: sql`${removedSignInWallets.removedAt} - make_interval(secs => ${laterMs / 1_000})` })
      .where(eq(removedSignInWallets.id, id));
    await forgetRemovedWallets({ db });
    const runtime = await createRuntime(readSettings(service.env), "server");
    setSystemTime(new Date(Date.now() + laterMs));
    try {
      expect(await runtime.services.accessTokens.verify(second.token ?? "")).toBe("auth.token_invalid");
    } finally {
      setSystemTime();
    }
    await runtime.close();
  });

  test("remembers a removal after a restart", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    await second.signIn();
    await ada.call("DELETE", `/eoa-accounts/${id}`);
    const { db } = service.runtime;
    expect((await db.select().from(removedSignInWallets)).map((row) => row.id)).toContain(id);
    expect((await db.select().from(signInWallets)).map((row) => row.id)).not.toContain(id);
    const runtime = await createRuntime(readSettings(service.env), "server");
    expect(await runtime.services.accessTokens.verify(second.token ?? "")).toBe("auth.token_invalid");
    expect(await runtime.services.accessTokens.verify(ada.token ?? "")).toBeObject();
    await runtime.close();
  });

  test("a wallet that never signed in leaves nothing to remember", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    expect((await ada.call("DELETE", `/eoa-accounts/${id}`)).status).toBe(200);
    const { db, services } = service.runtime;
    expect((await db.select().from(removedSignInWallets)).map((row) => row.id)).not.toContain(id);
    // Nor does the server that removed it remember the id. No such token was ever given out.
    const signer = { signerAddress: second.account.address, chainId: services.policy.chainId, ttlSeconds: 60 };
    const token = await services.accessTokens.sign({ ...signer, wallet: { id, userId: ada.userId ?? "" } });
    expect(await services.accessTokens.verify(token)).toBeObject();
  });

  /** Sends the first sign-in of a wallet that `change` holds; it goes on once that is committed. */
  async function signInBehind(wallet: Person, change: (tx: Tx) => Promise<unknown>): Promise<void> {
    const { db } = service.runtime;
    const signed = await wallet.signMessage();
    const { asked } = await db.transaction(async (tx) => {
      await change(tx);
      const waiting = wallet.call("POST", "/auth/challenge", signed);
      await until(async () => (await countLockWaits(db)) > 0);
      return { asked: waiting };
    });
    wallet.token = (await asked).body.token;
  }

  test("a first sign-in that waits behind the wallet's removal gets no token of the user", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    await signInBehind(second, (tx) => removeSignInWallet(tx, id, new Date()));
    expect((await second.call("GET", "/user")).status).toBe(401);
    expect(await describeWaiting(ada.userId ?? "")).toEqual([]);
  });

  test("a first sign-in that waits behind another one is the user's too, without a second warning", async () => {
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    await signInBehind(second, (tx) => proveSignInWallet(tx, id, new Date()));
    expect((await second.call("GET", "/user")).body.id).toBe(ada.userId);
    expect(await describeWaiting(ada.userId ?? "")).toEqual([]);
  });

  test("applies a removal whose commit came late", async () => {
    const { db } = service.runtime;
    const [ada, second] = [await signedUp(), new Person(service)];
    const id = await join(ada, second);
    await second.signIn();
    const removed = createRemovedWallets(db, { lateMs: 100 });
    expect(await removed.has(id)).toBe(false);
    await db.transaction(async (tx) => {
      await removeSignInWallet(tx, id, new Date());
      const heldUntilMs = performance.now() + 1_500;
      await until(async () => !(await removed.has(id)) && performance.now() > heldUntilMs);
    });
    await until(() => removed.has(id));
  });
});

test("a wallet's first sign-in that fails at its message is the first one again, and adds the message", async () => {
  const { db } = service.runtime;
  const [ada, second] = [await signedUp(), new Person(service)];
  await join(ada, second);
  await ada.call("PUT", "/user/messages", { signIns: "mail" });
  await service.ownerDb.execute(sql`alter table user_messages rename to user_messages_away`);
  expect((await second.call("POST", "/auth/challenge", await second.signMessage())).status).toBe(500);
  await service.ownerDb.execute(sql`alter table user_messages_away rename to user_messages`);
  await second.signIn();
  expect(await listMessages(db, ada.userId ?? "", 10)).toMatchObject([{ kind: "signIns", about: "wallet" }]);
});

const describeWaiting = async (userId: string): Promise<(string | null)[]> => {
  const ctx = createWorkerContext(service.runtime);
  const english = languageOf(ctx, { language: "en" });
  const rows = await listMessages(ctx.db, userId, 20);
  return Promise.all(rows.map((row) => describeMessage(ctx, english, row, { isDiscreet: false })));
};

test("a thief of an access token cannot take an account over without a word to its owner, who chose no messages", async () => {
  const [ada, thief] = [await signedUp(), new Person(service)];
  const userId = ada.userId ?? "";
  await ada.call("PUT", "/user/messages", { signIns: "none" });
  await join(ada, thief);
  await thief.signIn();
  expect((await thief.call("POST", "/tokens", { name: "x", scopes: ["transactions"] })).status).toBe(201);
  const { body } = await thief.call("GET", "/eoa-accounts");
  const own = body.data.eoaAccounts.find(({ address }: { address: string }) => address === ada.account.address);
  expect((await thief.call("DELETE", `/eoa-accounts/${own.id}`)).status).toBe(200);
  await thief.call("PUT", "/user/messages", { signIns: "mail" });
  const said = [
    expect.stringContaining(`${thief.account.address} signed in for the first time`),
    expect.stringContaining(`with the wallet ${thief.account.address}. It reads your account`),
    expect.stringContaining(`${ada.account.address} was removed`),
  ];
  expect(await describeWaiting(userId)).toEqual(said);
  // Support ends the access before the messages are sent; the wallets get new rows.
  await askCli(service, "users", "end-access", userId);
  expect(await describeWaiting(userId)).toEqual(said);
});

test("support gives an account back whose owner's wallet a thief removed, also where the owner signed up anew", async () => {
  const [ada, thief] = [await signedUp(), new Person(service)];
  const userId = ada.userId ?? "";
  await join(ada, thief);
  await thief.signIn();
  const { body } = await thief.call("GET", "/eoa-accounts");
  const own = body.data.eoaAccounts.find(({ address }: { address: string }) => address === ada.account.address);
  await thief.call("DELETE", `/eoa-accounts/${own.id}`);
  await ada.signIn();
  await ada.signUp({ authEmail: `anew-${ada.account.address.slice(2, 10)}@example.org` });
  const anew = ada.userId ?? "";
  const act = (verb: string, user: string, { account }: Person) =>
    askCli(service, "users", verb, user, account.address, "--reason", "call 4711");
  await act("remove-wallet", userId, thief);
  await until(async () => (await thief.call("GET", "/user")).status === 401);
  await expect(act("remove-wallet", userId, thief)).rejects.toThrow("This user has no such sign-in wallet");
  await expect(act("add-wallet", userId, ada)).rejects.toThrow("This address already belongs to an account");
  await act("remove-wallet", anew, ada);
  await act("add-wallet", userId, ada);
  await ada.signIn();
  expect((await ada.call("GET", "/user")).body.id).toBe(userId);
  expect((await describeWaiting(userId)).slice(-3)).toEqual([
    expect.stringContaining(`${thief.account.address} was removed`),
    expect.stringContaining(`Support added the wallet ${ada.account.address}`),
    expect.stringContaining(`${ada.account.address} signed in for the first time`),
  ]);
});

test("the warning of a wallet's first sign-in names the wallet also where it was removed at once", async () => {
  const [ada, thief] = [await signedUp(), new Person(service)];
  const id = await join(ada, thief);
  await thief.signIn();
  expect((await ada.call("DELETE", `/eoa-accounts/${id}`)).status).toBe(200);
  expect(await describeWaiting(ada.userId ?? "")).toEqual([
    expect.stringContaining(`${thief.account.address} signed in for the first time`),
    expect.stringContaining(`${thief.account.address} was removed`),
  ]);
});

test("500 warnings of tokens leave room for a first sign-in", async () => {
  const [ada, second] = [await signedUp(), new Person(service)];
  const userId = ada.userId ?? "";
  const id = await join(ada, second);
  await service.runtime.db.execute(sql`
    insert into user_messages (id, user_id, kind, about, subject_id, request_id, created_at)
    select gen_random_uuid(), ${userId}, 'signIns', 'wallet', 'token:mail:' || ${ada.account.address}::text || ':' || n, 'test', now()
    from generate_series(1, 500) n`);
  await second.signIn();
  expect((await second.call("POST", "/tokens", { name: "x", scopes: ["transactions"] })).status).toBe(201);
  const rows = await listMessages(service.runtime.db, userId, 1_000);
  expect(rows.filter(({ subjectId }) => !subjectId.startsWith("token:"))).toMatchObject([{ subjectId: id }]);
  expect(rows).toHaveLength(501);
});

test("a wallet that never signed in leaves without a warning", async () => {
  const [ada, second] = [await signedUp(), new Person(service)];
  expect((await ada.call("DELETE", `/eoa-accounts/${await join(ada, second)}`)).status).toBe(200);
  expect(await describeWaiting(ada.userId ?? "")).toEqual([]);
});

test("an id that is no text is not found by a server that drains, too", async () => {
  const ada = await signedUp();
  // It asks the router that has every request of such a server.
  const server = createServer(service.runtime);
  for (const id of ["%ff", "%E0%A4%A"]) {
    const headers = { Authorization: `Bearer ${ada.token}` };
    const request = new Request(`${service.url}/api/v1/eoa-accounts/${id}`, { method: "DELETE", headers });
    expect((await server.handle(request)).status).toBe(404);
  }
});

test("a clock a month ahead deletes no user's token that works, nor one that expired within 30 days by the wall clock", async () => {
  const ada = await signedUp();
  const hourMs = 3_600_000;
  const make = async () => {
    const expiresAt = new Date(Date.now() + hourMs).toISOString();
    return (await ada.call("POST", "/tokens", { name: "Books", scopes: ["transactions"], expiresAt })).body;
  };
  const [earlier, revoked] = [await make(), await make()];
  await ada.call("DELETE", `/tokens/${revoked.id}`);
  await ada.sandbox("POST", "/chain/advance", { seconds: 40 * 86_400 });
  const later = await make();
  const { services, db } = service.runtime;
  const listLeft = async () => {
    await deleteOldRows({ ...services, stopping: new AbortController().signal });
    return (await ada.call("GET", "/tokens")).body.map(({ id, status }: { id: string; status: string }) => [
      id,
      status,
    ]);
  };
  expect(await listLeft()).toEqual([
    [later.id, "active"],
    [earlier.id, "active"],
  ]);
  for (const { token } of [earlier, later]) {
    const program = new Person(service);
    program.token = token;
    expect((await program.call("GET", "/cards/transactions")).status).toBe(200);
  }
  const expire = (id: string, days: number) => {
    const expiresAt = new Date(Date.now() - days * 24 * hourMs);
    return db.update(userTokens).set({ expiresAt, endsAt: expiresAt }).where(eq(userTokens.id, id));
  };
  await Promise.all([expire(later.id, 29), expire(earlier.id, 31)]);
  expect(await listLeft()).toEqual([[later.id, "expired"]]);
});
