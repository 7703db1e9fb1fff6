import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { predictModules } from "@cardkeep/chain/predictAccount";
import { buildSetAllowance } from "@cardkeep/chain/allowance";
import { buildModuleCall } from "@cardkeep/chain/delay";
import { spendingRoleKey } from "@cardkeep/chain/deployments";
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import { delayTransactions, events } from "@cardkeep/db/schema/tables";
import { findReplacedLimit } from "@cardkeep/domain/accounts/delays/chainHistory";
import { localAccounts } from "@cardkeep/local/accounts";
import { and, eq } from "drizzle-orm";
import { createWalletClient, type Hex, http, parseAbi, parseUnits, publicActions } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { askSdk } from "../support/sdk.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";

const daySeconds = 86_400;
const rolesAbi = parseAbi([
  "function execTransactionWithRole(address to, uint256 value, bytes data, uint8 operation, bytes32 roleKey, bool shouldRevert) returns (bool)",
]);

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const limits = "/accounts/daily-limit";
const getRow = async (id: string) => {
  const [row] = await service.runtime.db.select().from(delayTransactions).where(eq(delayTransactions.id, id));
  if (!row) throw new Error(`no row ${id}`);
  return row;
};
const reaches = (id: string, status: string) => until(async () => (await getRow(id)).status === status);
const advance = (person: Person, seconds: number) => person.sandbox("POST", "/chain/advance", { seconds });

async function submit(person: Person, newLimit: number): Promise<string> {
  const { status, body } = await person.call("PUT", limits, await person.signLimit(newLimit));
  expect([status, body]).toMatchObject([200, { data: { status: "QUEUING" } }]);
  return body.data.id;
}

async function change(person: Person, newLimit: number): Promise<string> {
  const id = await submit(person, newLimit);
  await reaches(id, "WAITING");
  await advance(person, 181);
  await reaches(id, "EXECUTED");
  return id;
}

/** The limits by all our endpoints, and the SDK's reading of the chain. */
async function expectLimits(person: Person, safe: Hex, expected: object, decimals = 18): Promise<void> {
  const { dailyLimit, dailyRemaining } = (await person.call("GET", limits)).body.data;
  expect({ dailyLimit, dailyRemaining }).toEqual(expected as never);
  expect(await person.trpc().accounts.dailyLimit.query()).toEqual({ data: { dailyLimit, dailyRemaining } });
  expect((await person.call("GET", "/accounts/onchain-daily-limit")).body.data).toEqual({
    onchainDailyLimit: dailyLimit,
    onchainDailyRemaining: dailyRemaining,
  });
  expect(await askSdk(service.rpcUrl, safe, decimals)).toMatchObject({ status: 0, limits: expected });
}

const listChanges = async (person: Person) => {
  const ofUser = and(eq(events.userId, person.userId ?? ""), eq(events.eventType, "account.limit.changed"));
  return (await service.runtime.db.select().from(events).where(ofUser).orderBy(events.sequence)).map(
    ({ data }) => data,
  );
};

const connect = (account: PrivateKeyAccount) =>
  createWalletClient({ account, transport: http(service.rpcUrl), pollingInterval: 20 }).extend(publicActions);

/** The card's spender pays the settlement address from the Safe, within the allowance. */
async function spend(safe: Hex, token: keyof typeof tokens, amount: string): Promise<void> {
  const { address, decimals } = tokens[token];
  const transfer = buildTransfer({
    token: address,
    to: localAccounts.settlement.address,
    amount: parseUnits(amount, decimals),
  });
  const client = connect(privateKeyToAccount(localAccounts.spender.privateKey));
  const hash = await client.writeContract({
    address: predictModules(safe).roles,
    abi: rolesAbi,
    functionName: "execTransactionWithRole",
    args: [transfer.to, transfer.value, transfer.data, 0, spendingRoleKey, true],
    chain: null,
  });
  expect((await openNode(service.rpcUrl).waitForReceipt(hash)).status).toBe("success");
}

describe("the daily limit, executed on chain and as the SDK shows it,", () => {
  /** An account whose limit was changed from 350 to 1500, and is spent up to 299.75. */
  async function openSpent(country: string, token: keyof typeof tokens): Promise<{ person: Person; safe: Hex }> {
    const { decimals } = tokens[token];
    const person = new Person(service);
    const safe = await person.becomeAccountHolder({ country });
    const amount = parseUnits("5000", decimals).toString();
    await person.sandbox("POST", "/chain/faucet", { address: safe, token, amount });
    await expectLimits(person, safe, { dailyLimit: 350, dailyRemaining: 350 }, decimals);
    await change(person, 1500);
    await expectLimits(person, safe, { dailyLimit: 1500, dailyRemaining: 1500 }, decimals);
    expect(await listChanges(person)).toEqual([{ userId: person.userId, oldLimit: 350, newLimit: 1500 }]);
    await spend(safe, token, "1200.25");
    await expectLimits(person, safe, { dailyLimit: 1500, dailyRemaining: 299.75 }, decimals);
    return { person, safe };
  }

  test("of a user in BR is whole units of USDCe, changed and spent", () => openSpent("BR", "USDCe"));

  test("of a user in DE is whole units of EURe, changed, spent, refilled at midnight UTC and changed again", async () => {
    const { person, safe } = await openSpent("DE", "EURe");
    const { timestamp } = await service.runtime.chain.getBlock();
    const untilMidnight = daySeconds - (timestamp % daySeconds);
    if (untilMidnight > 60) {
      await advance(person, untilMidnight - 30);
      await expectLimits(person, safe, { dailyLimit: 1500, dailyRemaining: 299.75 });
    }
    await advance(person, 60);
    await expectLimits(person, safe, { dailyLimit: 1500, dailyRemaining: 1500 });

    // A change resets the spent amount.
    await spend(safe, "EURe", "1000");
    await change(person, 1);
    await expectLimits(person, safe, { dailyLimit: 1, dailyRemaining: 1 });
    await change(person, 8000);
    await expectLimits(person, safe, { dailyLimit: 8000, dailyRemaining: 8000 });
    expect((await listChanges(person)).slice(1)).toEqual([
      { userId: person.userId, oldLimit: 1500, newLimit: 1 },
      { userId: person.userId, oldLimit: 1, newLimit: 8000 },
    ]);
  });

  test("changes several times in order, each event with the previous limit, also one set without us", async () => {
    const person = new Person(service);
    const safe = await person.becomeAccountHolder();
    const { address } = person.account;
    await person.sandbox("POST", "/chain/faucet", { address, token: "native", amount: "1000000000000000000" });
    const { bouncer, delay } = predictModules(safe);
    const refill = parseUnits("77.5", 18);
    const alone = buildSetAllowance({ bouncer, refill, periodSeconds: daySeconds, startsAt: 0 });
    const ids = [await submit(person, 400)];
    await reaches(ids[0] ?? "", "WAITING");
    const client = connect(person.account);
    const hash = await client.sendTransaction({ to: delay, data: buildModuleCall(alone), chain: null });
    await openNode(service.rpcUrl).waitForReceipt(hash);
    ids.push(await submit(person, 500), await submit(person, 400));
    for (const id of ids) await reaches(id, "WAITING");
    await advance(person, 181);
    for (const id of ids) await reaches(id, "EXECUTED");
    await expectLimits(person, safe, { dailyLimit: 400, dailyRemaining: 400 });
    expect(await listChanges(person)).toEqual([
      { userId: person.userId, oldLimit: 350, newLimit: 400 },
      { userId: person.userId, oldLimit: 77.5, newLimit: 500 },
      { userId: person.userId, oldLimit: 500, newLimit: 400 },
    ]);
  });

  test("is the requested one of the deployment, if not 350", async () => {
    const person = await new Person(service).becomeApproved();
    await person.call("POST", "/safe/deploy", { dailyLimit: 25 });
    await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok");
    const { address } = (await person.call("GET", "/safe/config")).body;
    await expectLimits(person, address, { dailyLimit: 25, dailyRemaining: 25 });
    const id = await change(person, 26);
    expect(await listChanges(person)).toEqual([{ userId: person.userId, oldLimit: 25, newLimit: 26 }]);

    const { safeId, executedHash, endedBlock } = await getRow(id);
    const ctx = createWorkerContext(service.runtime);
    const known = await findSafe(ctx.db, safeId);
    if (!known || executedHash === null || endedBlock === null) throw new Error("nothing was executed");
    // Of a Safe without rows, whose history begins at block 0, the blocks are counted whose logs are asked for.
    const safe = { ...known, id: "unknown" };
    const refill = parseUnits("26", 18);
    const find = async (blocksSince: bigint): Promise<(bigint | null)[]> => {
      let asked = 0n;
      const block = await ctx.chain.getBlock();
      const getBlock = async () => ({ ...block, number: endedBlock + blocksSince });
      const getLogs: typeof ctx.chain.getLogs = (given) => {
        asked += given.toBlock - given.fromBlock + 1n;
        return ctx.chain.getLogs(given);
      };
      const context = { ...ctx, chain: { ...ctx.chain, getBlock, getLogs } };
      return [
        await findReplacedLimit(context, safe, { transactionHash: executedHash, block: endedBlock, refill }),
        asked,
      ];
    };
    const replaced = parseUnits("25", 18);
    expect(await find(0n)).toEqual([replaced, 1n]);
    await openNode(service.rpcUrl).client.mine({ blocks: 13 });
    expect(await find(13n)).toEqual([replaced, endedBlock + 14n]);
  });
});
