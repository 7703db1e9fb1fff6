import { beforeAll, expect, test } from "bun:test";
import type { Call } from "@cardkeep/chain/call";
import { deployments } from "@cardkeep/chain/deployments";
import { unpackSteps } from "@cardkeep/chain/packSteps";
import { buildTransfer } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { insertCheckedEntries, insertViolation } from "@cardkeep/db/queries/accounts/integrity";
import { safes } from "@cardkeep/db/schema/tables";
import { createContext } from "@cardkeep/domain/core/context";
import { readAccountState } from "@cardkeep/domain/accounts/integrity/readAccountState";
import { recordEntries } from "@cardkeep/domain/accounts/integrity/readEntries";
import { eq, sql } from "drizzle-orm";
import { concat, decodeFunctionData, encodeFunctionData, encodePacked, parseAbi, size } from "viem";
import { lockTable } from "../support/locks.ts";
import { openHostileOwner, type QueuedCall, queueCall, runQueue } from "../support/attacks.ts";
import { deployParts } from "../support/griefing.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

const abi = parseAbi([
  "function enableModule(address module)",
  "function disableModule(address prevModule, address module)",
  "function changeThreshold(uint256 threshold)",
  "function addOwnerWithThreshold(address owner, uint256 threshold)",
  "function setTxCooldown(uint256 cooldown)",
  "function multiSend(bytes transactions)",
]);
const unknownAddress = "0x000000000000000000000000000000000000bEEF";
const sentinel = "0x0000000000000000000000000000000000000001";

let service: RunningService;
let node: ReturnType<typeof openNode>;
beforeAll(async () => {
  service = await shareService();
  node = openNode(service.rpcUrl);
});

const statusOf = async (person: Person): Promise<number> =>
  (await person.call("GET", "/safe/config")).body.accountStatus;

async function getSafe(person: Person) {
  const [row] = await service.runtime.db
    .select()
    .from(safes)
    .where(eq(safes.userId, person.userId ?? ""));
  if (!row) throw new Error("no Safe");
  return row;
}

/** Statuses while an owner's own call waits, and after it ran. */
async function run(person: Person, call: QueuedCall): Promise<number[]> {
  const owner = openHostileOwner(service, person, (await getSafe(person)).address);
  await queueCall(owner, call);
  const waiting = await statusOf(person);
  await runQueue(owner);
  return [waiting, await statusOf(person)];
}

const call = (to: Address, functionName: string, ...args: readonly unknown[]): Call => ({
  to,
  value: 0n,
  data: encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData<typeof abi>>[0]),
});

/** The owner of a Safe of the older way sets it up without some of the steps. */
async function setUpWithout(person: Person, isLeftOut: (step: Call) => boolean): Promise<void> {
  const { body } = await person.call("GET", "/account/signature-payload");
  const steps = unpackSteps(decodeFunctionData({ abi, data: body.message.data }).args[0] as Hex);
  const packed = steps
    .filter((step) => !isLeftOut(step))
    .map(({ to, value, data }) =>
      encodePacked(["uint8", "address", "uint256", "uint256", "bytes"], [0, to, value, BigInt(size(data)), data]),
    );
  const { data } = call(deployments.multiSend, "multiSend", concat(packed));
  const { address } = await getSafe(person);
  await node.execute(person.account, address, { to: deployments.multiSend, data, operation: "DELEGATECALL" });
}

const deploysMastercopy = (step: Call, mastercopy: Address): boolean =>
  step.to === deployments.moduleProxyFactory && step.data.includes(mastercopy.slice(2).toLowerCase());

test("1 without a Safe, 2 while its user owns it, 0 after its set-up, 7 with queued operations", async () => {
  const ada = await new Person(service).becomeApproved();
  expect(await statusOf(ada)).toBe(1);
  await ada.call("POST", "/account", { chainId: "100" });
  expect(await statusOf(ada)).toBe(2);
  await ada.call("POST", "/safe/set-currency");
  await ada.call("PATCH", "/account/deploy-safe-modules", { signature: await ada.signSetUp() });
  expect(await statusOf(ada)).toBe(0);
  const { address } = await getSafe(ada);
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "1" });
  const transfer = buildTransfer({
    token: "0xcB444e90D8198415266c6a2724b7900fb12FC56E",
    to: unknownAddress,
    amount: 1n,
  });
  expect(await run(ada, transfer)).toEqual([7, 0]);
});

test("2, permanently, after its owner lets it enable another module, or add another owner", async () => {
  const ada = new Person(service);
  const safe = await ada.becomeAccountHolder();
  expect(await run(ada, call(safe, "enableModule", unknownAddress))).toEqual([7, 2]);
  expect(await run(ada, call(safe, "disableModule", sentinel, unknownAddress))).toEqual([2, 2]);
  expect(await run(ada, call(safe, "addOwnerWithThreshold", unknownAddress, 1n))).toEqual([2, 2]);
});

test("3 without a Roles module at its enabled address, 4 if it does not belong to the Bouncer", async () => {
  const ada = new Person(service);
  await ada.becomeSafeOwner();
  const row = await getSafe(ada);
  const isOfRoles = (step: Call) =>
    step.to === row.rolesAddress || deploysMastercopy(step, deployments.rolesMastercopy);
  await setUpWithout(ada, isOfRoles);
  expect(await statusOf(ada)).toBe(3);
  expect((await ada.call("GET", "/safe/config")).body).toMatchObject({
    hasNoApprovals: true,
    accountAllowance: { balance: "0", refill: "0", period: "0", nextRefill: null },
  });
  await deployParts(service, node, row, ["roles"]);
  expect(await statusOf(ada)).toBe(4);
});

test("5 without a Delay module at its enabled address, 6 if its cooldown is too short", async () => {
  const ada = new Person(service);
  await ada.becomeSafeOwner();
  const row = await getSafe(ada);
  const isOfDelay = (step: Call) =>
    step.to === row.delayAddress || deploysMastercopy(step, deployments.delayMastercopy);
  await setUpWithout(ada, isOfDelay);
  expect(await statusOf(ada)).toBe(5);
  await deployParts(service, node, row, ["delay"]);
  expect(await statusOf(ada)).toBe(6);
});

test("2 after its owner changes the cooldown in service, to a longer one too", async () => {
  const ada = new Person(service);
  await ada.becomeAccountHolder();
  const { delayAddress } = await getSafe(ada);
  expect(await run(ada, call(delayAddress, "setTxCooldown", 179n))).toEqual([7, 2]);
  expect(await run(ada, call(delayAddress, "setTxCooldown", 181n))).toEqual([2, 2]);
});

test("an account is changed also while the violation is recorded between two questions of a reader", async () => {
  const ada = new Person(service);
  await ada.becomeAccountHolder();
  const safe = await getSafe(ada);
  const { db, services } = service.runtime;
  let reading: ReturnType<typeof readAccountState> | undefined;
  await db.transaction(async (tx) => {
    // Holds the worker back, which would record the entry itself.
    await lockTable(tx, "queue_entries");
    await queueCall(openHostileOwner(service, ada, safe.address), call(safe.delayAddress, "setTxCooldown", 179n));
    reading = readAccountState(services, safe);
    await until(async () => {
      const waiters = await db.execute(sql`
        select from pg_locks join pg_database on pg_database.oid = database
        where relation = 'queue_entries'::regclass and not granted and mode = 'AccessShareLock'
          and datname = current_database()`);
      return waiters.length >= 2;
    });
    const { number, hash } = await services.chain.getBlock();
    const violation = { safeId: safe.id, queueNonce: 0n, reason: "cooldown", hash, blockNumber: number };
    const at = { seenAt: new Date(), updatedAt: new Date() };
    await insertViolation(tx, { id: crypto.randomUUID(), status: "QUEUED", ...violation, ...at });
    await insertCheckedEntries(tx, [{ delayAddress: safe.delayAddress, queueNonce: 0n, blockNumber: number }]);
  });
  expect((await reading)?.isChanged).toBe(true);
});

test("2 after its owner replaced the Safe's code by other code", async () => {
  const ada = new Person(service);
  await ada.becomeAccountHolder();
  // Returns the word 1 to every call: a threshold, but no list of owners.
  const impostor = await node.deploy("0x600a600c600039600a6000f3600160005260206000f3");
  // Writes the impostor into the first slot, where a Safe's proxy reads its code's address.
  const writer = `73${impostor.slice(2)}60005500`;
  const size = (writer.length / 2).toString(16).padStart(2, "0");
  const replacement = await node.deploy(`0x60${size}600c60003960${size}6000f3${writer}`);
  expect(await run(ada, { to: replacement, value: 0n, data: "0x", operation: "DELEGATECALL" })).toEqual([7, 2]);
});

test("2 after its owner removed the Safe's code", async () => {
  const ada = new Person(service);
  await ada.becomeAccountHolder();
  const replacement = await node.deploy("0x6006600c60003960066000f361beef60005500");
  expect(await run(ada, { to: replacement, value: 0n, data: "0x", operation: "DELEGATECALL" })).toEqual([7, 2]);
  expect((await ada.call("DELETE", "/safe/reset")).status).toBe(200);
});

test("2 after its owner gave the Safe code that burns all gas; the account is still read, and is given up", async () => {
  const ada = new Person(service);
  await ada.becomeAccountHolder();
  const burner = await node.deploy("0x6001600c60003960016000f3fe");
  const writer = `73${burner.slice(2)}60005500`;
  const size = (writer.length / 2).toString(16).padStart(2, "0");
  const replacement = await node.deploy(`0x60${size}600c60003960${size}6000f3${writer}`);
  expect(await run(ada, { to: replacement, value: 0n, data: "0x", operation: "DELEGATECALL" })).toEqual([7, 2]);
  expect((await ada.call("GET", "/account-balances")).status).toBe(200);
  expect((await ada.call("DELETE", "/safe/reset")).status).toBe(200);
});

test("an entry behind one that the node left out is not recorded, and the Safe is checked again after a pause", async () => {
  const ada = new Person(service);
  await ada.becomeAccountHolder();
  const safe = await getSafe(ada);
  const context = createContext(service.runtime.services, { log: service.runtime.log, requestId: "gap" });
  const transfer = buildTransfer({ token: unknownAddress, to: unknownAddress, amount: 1n });
  const hash: Hex = `0x${"11".repeat(32)}`;
  const behind = {
    ...transfer,
    operation: "CALL" as const,
    queueNonce: 1n,
    txHash: hash,
    blockHash: hash,
    transactionHash: hash,
    blockNumber: 1n,
    logIndex: 0,
  };
  await context.commit((work) => recordEntries(context, work, { safe, entries: [behind] }));
  const { db } = service.runtime;
  const pauses = await db.execute<{ isLater: boolean }>(sql`
    select run_at > now() + interval '300 milliseconds' as "isLater" from graphile_worker._private_jobs
    where payload::text like ${`%${safe.id}%`}`);
  expect(pauses.map(({ isLater }) => isLater)).toEqual([true]);
  expect(await db.execute(sql`select from queue_entries where delay_address = ${safe.delayAddress}`)).toHaveLength(0);
});
