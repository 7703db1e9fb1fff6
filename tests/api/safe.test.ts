import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deployments } from "@cardkeep/chain/deployments";
import { events, safes } from "@cardkeep/db/schema/tables";
import { createRuntime } from "@cardkeep/runtime/compose";
import { development } from "@cardkeep/runtime/development";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq, sql } from "drizzle-orm";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { openNode } from "../support/node.ts";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const stranger = "0x000000000000000000000000000000000000bEEF";
const safeAbi = parseAbi(["function enableModule(address module)"]);

let service: Service;
let node: ReturnType<typeof openNode>;
let worker: Worker | null = null;
beforeAll(async () => {
  // A test gives another key of the operator.
  service = await startService({ worker: false, env: { RELAYER_PRIVATE_KEYS: development.RELAYER_PRIVATE_KEYS } });
  node = openNode(service.rpcUrl);
  await resume();
});
afterAll(async () => {
  await worker?.stop();
  await service.stop();
});

async function resume(): Promise<void> {
  worker ??= await startWorker(service.runtime);
}
async function pause(): Promise<void> {
  await worker?.stop();
  worker = null;
}

const shortOf = ({ status, body }: Answer) => ({ status, body });
const noSafe = { status: 404, body: { error: "Couldn't find associated Safe for the user" } };
const unauthorized = { status: 401, body: { error: "Unauthorized" } };
const approved = (country = "DE") => new Person(service).becomeApproved({ country });
const reset = (person: Person) => person.call("DELETE", "/safe/reset");
const config = async (person: Person) => (await person.call("GET", "/safe/config")).body;
const give = (person: Person, address: string, token: string, amount: string) =>
  person.sandbox("POST", "/chain/faucet", { address, token, amount });
const addModule = (safe: Hex) => ({
  to: safe,
  data: encodeFunctionData({ abi: safeAbi, functionName: "enableModule", args: [stranger] }),
});

/** Logs of a Safe are read from the block of its deployment, also once that relay transaction is archived. */
async function keepsItsBlock({ userId }: Person): Promise<void> {
  const { db } = service.runtime;
  const [safe] = await db
    .select()
    .from(safes)
    .where(eq(safes.userId, userId ?? ""));
  const [mined] = await db.execute<{ block: string }>(sql`
    select min(t.block_number)::text as block from relay_transactions t join relay_subjects s on s.relay_transaction_id = t.id
    where s.subject_id = ${safe?.id ?? ""} and t.status = 'MINED'`);
  expect(String(safe?.deployedBlock)).toBe(mined?.block ?? "");
}

describe("the currency", () => {
  const cases = [
    ["DE", "EURe", "EUR", 18],
    ["GB", "GBPe", "GBP", 18],
    ["BR", "USDCe", "USD", 6],
  ] as const;
  for (const [country, tokenSymbol, fiatSymbol, decimals] of cases) {
    test(`of ${country} is ${tokenSymbol} with a limit of 350 whole units, by either way`, async () => {
      const limit = (350n * 10n ** BigInt(decimals)).toString();
      const whole = {
        isDeployed: true,
        tokenSymbol,
        fiatSymbol,
        accountStatus: 0,
        accountAllowance: { balance: limit, refill: limit, period: "86400" },
      };
      const newer = new Person(service);
      await newer.becomeAccountHolder({ country });
      expect(await config(newer)).toMatchObject(whole);
      expect((await newer.call("GET", "/user")).body.safeWallets).toMatchObject([{ tokenSymbol }]);

      const older = await approved(country);
      await older.call("POST", "/account", { chainId: "100" });
      expect(shortOf(await older.call("POST", "/safe/set-currency"))).toEqual({ status: 200, body: { tokenSymbol } });
      expect(await config(older)).toMatchObject({ tokenSymbol, fiatSymbol, accountStatus: 2 });
      await older.call("PATCH", "/account/deploy-safe-modules", { signature: await older.signSetUp() });
      expect(await config(older)).toMatchObject(whole);
      await keepsItsBlock(newer);
      await keepsItsBlock(older);
      // After the set-up the currency is final.
      await older.sandbox("POST", `/kyc/${older.userId}/review`, {
        outcome: "approved",
        applicant: { country: country === "DE" ? "GB" : "DE" },
      });
      expect((await older.call("POST", "/safe/set-currency")).body).toEqual({ tokenSymbol });
    });
  }

  test("follows the country until the set-up, with one event per change", async () => {
    const ada = await approved();
    await ada.call("POST", "/account", { chainId: "100" });
    const set = async () => (await ada.call("POST", "/safe/set-currency")).body.tokenSymbol;
    expect([await set(), await set()]).toEqual(["EURe", "EURe"]);
    await ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome: "approved", applicant: { country: "BR" } });
    expect(await set()).toBe("USDCe");
    const reported = await service.runtime.db
      .select()
      .from(events)
      .where(eq(events.userId, ada.userId ?? ""))
      .orderBy(events.sequence);
    expect(
      reported
        .filter(({ eventType }) => eventType === "safe.currency.updated")
        .map(({ data }) => (data as { tokenSymbol: string }).tokenSymbol),
    ).toEqual(["EURe", "USDCe"]);
    await ada.call("PATCH", "/account/deploy-safe-modules", { signature: await ada.signSetUp() });
    expect((await config(ada)).accountAllowance.refill).toBe("350000000");
  });

  test("needs an approved user with a Safe", async () => {
    const newcomer = await (await new Person(service).signIn()).signUp();
    expect(shortOf(await newcomer.call("POST", "/safe/set-currency"))).toEqual({
      status: 422,
      body: { error: "User needs to complete KYC successfully" },
    });
    expect(shortOf(await (await approved()).call("POST", "/safe/set-currency"))).toEqual(noSafe);
    expect(shortOf(await new Person(service).call("POST", "/safe/set-currency"))).toEqual(unauthorized);
    const { headers } = await newcomer.call("POST", "/safe/set-currency");
    expect(headers.get("deprecation")).not.toBeNull();
  });
});

describe("POST /safe/deploy", () => {
  test("takes a daily limit in whole units of the currency", async () => {
    const ada = await approved("BR");
    expect((await ada.call("POST", "/safe/deploy", { dailyLimit: 20_000 })).status).toBe(202);
    await until(async () => (await ada.call("GET", "/safe/deploy")).body.status === "ok");
    expect((await config(ada)).accountAllowance.refill).toBe("20000000000");
  });

  test("refuses a malformed limit, an unapproved user, and a user with a Safe in service", async () => {
    const exists = { status: 422, body: { error: "Safe account already exists" } };
    const ada = await approved();
    for (const dailyLimit of [0, -1, 1.5, "350", null]) {
      expect(shortOf(await ada.call("POST", "/safe/deploy", { dailyLimit }))).toEqual({
        status: 400,
        body: { error: "dailyLimit is invalid" },
      });
    }
    const bob = new Person(service);
    await bob.becomeAccountHolder();
    expect(shortOf(await bob.call("POST", "/safe/deploy"))).toEqual(exists);
    const newcomer = await (await new Person(service).signIn()).signUp();
    expect(shortOf(await newcomer.call("POST", "/safe/deploy"))).toEqual({
      status: 422,
      body: { error: "User needs to complete KYC successfully" },
    });
    expect(shortOf(await new Person(service).call("POST", "/safe/deploy"))).toEqual(unauthorized);
  });

  test("that the chain rejects repeatedly fails with a reason, and may be requested again", async () => {
    const ada = await approved();
    const factory = { address: deployments.moduleProxyFactory } as const;
    const code = await node.client.getCode(factory);
    await node.client.setCode({ ...factory, bytecode: "0xfe" });
    await ada.call("POST", "/safe/deploy");
    const failed = async () => {
      await ada.sandbox("POST", "/chain/advance", { seconds: 60 });
      return (await ada.call("GET", "/safe/deploy")).body.status === "failed";
    };
    await until(failed, { everyMs: 100 });
    await node.client.setCode({ ...factory, bytecode: code ?? "0x" });
    const [row] = await service.runtime.db
      .select()
      .from(safes)
      .where(eq(safes.userId, ada.userId ?? ""));
    expect(row?.reason).not.toBeNull();
    expect(await config(ada)).toMatchObject({ isDeployed: false, address: null });
    expect((await ada.call("POST", "/safe/deploy")).status).toBe(202);
    await until(async () => (await ada.call("GET", "/safe/deploy")).body.status === "ok");
  });
});

describe("GET /safe/config", () => {
  test("answers a user without a Safe too, and the same on its older path", async () => {
    const ada = await approved();
    const nothing = {
      hasNoApprovals: true,
      isDeployed: false,
      address: null,
      tokenSymbol: null,
      fiatSymbol: null,
      accountStatus: 1,
      accountAllowance: { balance: "0", refill: "0", period: "0", nextRefill: null },
    };
    for (const path of ["/safe/config", "/safe-config"]) {
      expect(shortOf(await ada.call("GET", path))).toEqual({ status: 200, body: nothing });
      expect(shortOf(await new Person(service).call("GET", path))).toEqual(unauthorized);
    }
  });

  test("shows the allowance as it accrues by the chain's time, and the second of the next refill", async () => {
    const ada = new Person(service);
    const safe = await ada.becomeAccountHolder();
    const limit = 350n * 10n ** 18n;
    await give(ada, safe, "EURe", (1_000n * 10n ** 18n).toString());
    const { settlementAddress: to, spenderAddress } = service.runtime.services.policy;
    const transfer = encodeFunctionData({
      abi: parseAbi(["function transfer(address to, uint256 amount)"]),
      args: [to, 100n * 10n ** 18n],
    });
    const [{ rolesAddress = stranger } = {}] = await service.runtime.db
      .select()
      .from(safes)
      .where(eq(safes.userId, ada.userId ?? ""));
    const abi = parseAbi([
      "function execTransactionWithRole(address to, uint256 value, bytes data, uint8 operation, bytes32 roleKey, bool shouldRevert)",
    ]);
    const role = "0x349476e3982666749979c85ce800cd2947a4b8dc9fe20a01a00a1b526072a8a3";
    await node.sendAs(spenderAddress, {
      to: rolesAddress,
      data: encodeFunctionData({ abi, args: [eure, 0n, transfer, 0, role, true] }),
    });
    const { accountAllowance: spent } = await config(ada);
    expect(spent).toMatchObject({ balance: (250n * 10n ** 18n).toString(), refill: limit.toString() });
    const { body: chain } = await ada.sandbox("GET", "/chain");
    const untilRefill = Number(spent.nextRefill) - chain.timestamp;
    expect(untilRefill).toBeWithin(1, 86_401);
    expect(Number(spent.nextRefill) % 86_400).toBe(0);
    await ada.sandbox("POST", "/chain/advance", { seconds: untilRefill + 1 });
    const { accountAllowance: refilled } = await config(ada);
    expect(refilled.balance).toBe(limit.toString());
    expect(Number(refilled.nextRefill)).toBe(Number(spent.nextRefill) + 86_400);
  });
});

test("GET /safe/config makes one request to the chain", async () => {
  const ada = new Person(service);
  await ada.becomeAccountHolder();
  const asked: string[] = [];
  const counting = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      asked.push(JSON.parse(body).method);
      return fetch(service.rpcUrl, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    },
  });
  const runtime = await createRuntime(readSettings({ ...service.env, RPC_URL: counting.url.href }), "server");
  const server = createServer(runtime);
  const request = new Request("http://localhost/api/v1/safe/config", {
    headers: { Authorization: `Bearer ${ada.token}` },
  });
  expect(await (await server.handle(request)).json()).toMatchObject({ accountStatus: 0 });
  expect(asked).toEqual(["eth_call"]);
  await runtime.close();
  await counting.stop(true);
});

test("a deployment under another operator key than planned fails, instead of creating another Safe", async () => {
  const ada = await approved();
  await pause();
  await ada.call("POST", "/safe/deploy");
  const rotated = await createRuntime(
    readSettings({ ...service.env, OPERATOR_PRIVATE_KEY: generatePrivateKey() }),
    "worker",
  );
  const other = await startWorker(rotated);
  const failed = async () => {
    await ada.sandbox("POST", "/chain/advance", { seconds: 60 });
    return (await ada.call("GET", "/safe/deploy")).body.status === "failed";
  };
  await until(failed, { everyMs: 100 });
  await other.stop();
  await rotated.close();
  await resume();
  const [row] = await service.runtime.db
    .select()
    .from(safes)
    .where(eq(safes.userId, ada.userId ?? ""));
  expect(row?.reason).toBe(`No setting names the operator's key ${row?.creator}`);
  expect(await service.runtime.chain.hasCode([row?.address ?? stranger])).toEqual([false]);
});

describe("DELETE /safe/reset", () => {
  const done = { status: 200, body: { message: "Safe account reset successfully" } };
  const refusal = (reason: string) => ({ status: 422, body: { message: `Cannot reset Safe account: ${reason}` } });

  test("forgets a Safe that was never set up, and the next one is another", async () => {
    const ada = new Person(service);
    const old = await ada.becomeSafeOwner();
    expect((await ada.call("GET", "/safe/migration")).body).toMatchObject({
      hasOldSafe: false,
      newSafe: { address: old, chainId: "100", tokenSymbol: "EURe" },
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => reset(ada)));
    expect(answers.filter(({ status }) => status === 200).map(shortOf)).toEqual([done]);
    expect(
      answers.filter(({ status }) => status !== 200).every((answer) => Bun.deepEquals(shortOf(answer), noSafe)),
    ).toBe(true);
    expect((await ada.call("GET", "/safe/deploy")).body).toEqual({ status: "not_deployed" });
    expect(await config(ada)).toMatchObject({ isDeployed: false, address: null });
    expect((await ada.call("GET", "/user")).body.safeWallets).toEqual([]);
    expect(shortOf(await ada.call("GET", "/account-balances"))).toEqual(noSafe);
    expect((await ada.call("POST", "/safe/deploy")).status).toBe(202);
    await until(async () => (await ada.call("GET", "/safe/deploy")).body.status === "ok");
    const { address } = await config(ada);
    expect(address).not.toBe(old);
    const { body } = await ada.call("GET", "/safe/migration");
    expect(body).toEqual({
      migrationId: expect.any(String),
      hasOldSafe: true,
      newSafe: { address, chainId: "100", tokenSymbol: "EURe" },
      oldSafe: { address: old, chainId: "100", recordedAt: expect.any(String) },
    });
    // The contract stays, and its owner keeps it.
    await node.execute(ada.account, old, { to: ada.account.address, data: "0x" });
  });

  test("begins no sixth Safe within a day, by either way, and says when", async () => {
    const ada = await approved();
    for (let made = 0; made < 5; made++) {
      expect((await ada.call("POST", "/account", { chainId: "100" })).status).toBe(200);
      expect(shortOf(await reset(ada))).toEqual(done);
    }
    const requests = [
      ["POST", "/account"],
      ["POST", "/safe/deploy"],
    ] as const;
    for (const [method, path] of requests) {
      const answer = await ada.call(method, path, path === "/account" ? { chainId: "100" } : undefined);
      expect(shortOf(answer)).toEqual({ status: 429, body: { error: "Too many requests" } });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(86_000);
      expect(answer.headers.get("ratelimit-policy")).toBe('"safe-deployments";q=5;w=86400');
    }
    await ada.sandbox("POST", "/chain/advance", { seconds: 86_401 });
    await ada.signIn();
    expect((await ada.call("POST", "/safe/deploy")).status).toBe(202);
  });

  test("refuses an account in service, also with queued operations", async () => {
    const ada = new Person(service);
    const safe = await ada.becomeAccountHolder();
    expect(shortOf(await reset(ada))).toEqual(refusal("it is in service."));
    await give(ada, safe, "EURe", "10");
    await ada.call(
      "POST",
      "/accounts/withdraw",
      await ada.signWithdrawal({ tokenAddress: eure, to: stranger, amount: "10" }),
    );
    await until(async () => (await config(ada)).accountStatus === 7);
    expect(shortOf(await reset(ada))).toEqual(refusal("it is in service."));
    // Its setup has changed, but an accepted operation is still open.
    await node.sendAs(safe, addModule(safe));
    expect((await config(ada)).accountStatus).toBe(2);
    expect(shortOf(await reset(ada))).toEqual(refusal("it has open operations."));
    await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await ada.call("GET", "/delay-relay")).body[0].status === "EXECUTED");
    expect(shortOf(await reset(ada))).toEqual(done);
  });

  test("refuses a Safe that holds any of the currencies, and forgets an empty one", async () => {
    const ada = new Person(service);
    const safe = await ada.becomeAccountHolder();
    await node.sendAs(safe, addModule(safe));
    await give(ada, safe, "GBPe", "1");
    expect(shortOf(await reset(ada))).toEqual(refusal("it holds a balance. Please withdraw it first."));
    const transfer = encodeFunctionData({
      abi: parseAbi(["function transfer(address to, uint256 amount)"]),
      args: [stranger, 1n],
    });
    await node.sendAs(safe, { to: "0x5Cb9073902F2035222B9749F8fB0c9BFe5527108", data: transfer });
    expect(shortOf(await reset(ada))).toEqual(done);
  });

  test("refuses during a deployment, and forgets a failed one", async () => {
    const ada = await approved();
    await pause();
    await ada.call("POST", "/safe/deploy");
    expect(shortOf(await reset(ada))).toEqual(refusal("its deployment is under way."));
    await service.runtime.db
      .update(safes)
      .set({ status: "failed", reason: "for this test" })
      .where(eq(safes.userId, ada.userId ?? ""));
    await resume();
    expect(await ada.trpc().safes.reset.mutate()).toEqual({ message: "Safe account reset successfully" });
    expect(await ada.trpc().safes.deployment.query()).toEqual({ status: "not_deployed" });
    expect(await ada.trpc().safes.migration.query({})).toMatchObject({ hasOldSafe: true });
  });

  test("needs a Safe", async () => {
    expect(shortOf(await reset(await approved()))).toEqual(noSafe);
    expect(shortOf(await reset(new Person(service)))).toEqual(unauthorized);
  });
});

describe("GET /safe/migration", () => {
  test("answers a user without a Safe, and shows no other user's migration", async () => {
    const [ada, bob] = [await approved(), await approved()];
    const { status, body } = await ada.call("GET", "/safe/migration");
    expect({ status, body }).toEqual({ status: 200, body: { migrationId: expect.any(String), hasOldSafe: false } });
    expect((await ada.call("GET", `/safe/migration?migrationId=${body.migrationId}`)).body).toEqual(body);
    const unknown = { status: 400, body: { error: "Unknown migration" } };
    expect(shortOf(await bob.call("GET", `/safe/migration?migrationId=${body.migrationId}`))).toEqual(unknown);
    expect(shortOf(await bob.call("GET", "/safe/migration?migrationId=nothing"))).toEqual(unknown);
    expect(shortOf(await bob.call("GET", "/safe/migration?migrationId="))).toEqual({
      status: 400,
      body: { error: "migrationId is invalid" },
    });
    expect(shortOf(await new Person(service).call("GET", "/safe/migration"))).toEqual(unauthorized);
  });
});
