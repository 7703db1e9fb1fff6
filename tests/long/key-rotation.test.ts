/** The operator's and the spender's keys change while people pay and withdraw; a worker dies in between. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createRelayerKey, createSpenderKey } from "@cardkeep/chain/relayer";
import { createLocalSigner, signTypedData } from "@cardkeep/chain/signer";
import { buildSafeExecution, buildSafeTypedData } from "@cardkeep/chain/safeTransaction";
import { buildSignedSpend, buildSpend, buildSpendTypedData, nameTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { cardTransfers, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { development } from "@cardkeep/runtime/development";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { eq } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { runCli } from "../support/cli.ts";
import { findShortfall } from "../support/funds.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type AppProcess, spawnApp } from "../support/process.ts";
import { type Service, startService } from "../support/service.ts";
import {
  becomeCardHolder,
  type CardHolder,
  euro,
  follow,
  give,
  historyOf,
  untilSettled,
  use,
} from "../support/spending.ts";
import { openPayers, startWithdrawals, untilExecuted } from "../support/withdrawalLoad.ts";
import { createWorkerInTurn } from "../support/workerInTurn.ts";

interface Keys {
  operator: Hex;
  spender: Hex;
}
const old: Keys = { operator: development.OPERATOR_PRIVATE_KEY, spender: development.SPENDER_PRIVATE_KEY };
const next: Keys = { operator: generatePrivateKey(), spender: generatePrivateKey() };
const addressesOf = ({ operator, spender }: Keys) => ({
  creator: privateKeyToAddress(operator),
  spender: privateKeyToAddress(spender),
});

let service: Service;
/** The same service after the rotation: a second server. */
let rotated: Service;
let first: AppProcess;
let ada: CardHolder;
let grace: Person;
let carol: CardHolder;
const { restart, stop: stopWorker } = createWorkerInTurn();
let stopServer = async () => {};
beforeAll(async () => {
  // The test moves these keys itself.
  service = await startService({ worker: false, env: { RELAYER_PRIVATE_KEYS: development.RELAYER_PRIVATE_KEYS } });
  first = await spawnApp("worker", { ...service.env, LOG_LEVEL: "info" });
  await first.ready("taking jobs");
  ada = await becomeCardHolder(service);
});
afterAll(async () => {
  await stopWorker();
  await stopServer();
  first.kill("SIGKILL");
  await first.exited;
  await service.stop();
});

const db = () => service.runtime.db;
const environment = (former: Record<string, string>) => ({
  ...service.env,
  OPERATOR_PRIVATE_KEY: next.operator,
  SPENDER_PRIVATE_KEY: next.spender,
  ...former,
});
const withFormer = () =>
  environment({ FORMER_OPERATOR_PRIVATE_KEYS: old.operator, FORMER_SPENDER_PRIVATE_KEYS: old.spender });

/** A second server with the new keys' addresses alone. */
async function openServer(): Promise<void> {
  const [port = 0] = await findFreePorts(1);
  const runtime: Runtime = await createRuntime(readSettings({ ...withFormer(), PORT: String(port) }), "server");
  const server = createServer(runtime);
  server.listen(port);
  rotated = { ...service, url: `http://127.0.0.1:${port}` };
  stopServer = async () => {
    await server.stop();
    await runtime.close();
  };
}

const readSafe = async (address: string) => {
  const [row] = await db()
    .select()
    .from(safes)
    .where(eq(safes.address, address as Address));
  if (!row) throw new Error(`no Safe ${address}`);
  return row;
};
const settlement = () => service.runtime.services.policy.settlementAddress;
const held = (address: Address) => service.runtime.chain.getTokenBalance(tokens.EURe.address, address);

/** The worker lets the new key return money, and takes that from the former one. */
const untilApproved = (spender: Address, former: Address) =>
  until(async () => {
    const read = (key: Address) =>
      service.runtime.chain.getApproval({ token: tokens.EURe.address, owner: settlement(), spender: key });
    return (await read(spender)) > 0n && (await read(former)) === 0n;
  });

async function examine(env: Record<string, string>, check: string): Promise<{ severity: string; text: string }> {
  const { out } = await runCli(env, "doctor", "--json");
  const found = JSON.parse(out).checks.find((one: { check: string }) => one.check === check);
  return { severity: found.severity, text: found.text };
}

test("a rotation under uses and withdrawals loses nothing and repeats nothing, although the worker dies in it", async () => {
  const payers = await openPayers(service, { people: 2, withdrawalsMax: 6 });
  const load = startWithdrawals(payers, { withdrawalsMax: 3, pauseMs: 10 });
  grace = await new Person(service).becomeApproved();
  await grace.call("POST", "/safe/deploy", {});
  const [early, slow] = [new Person(service), new Person(service)];
  for (const person of [early, slow]) await person.becomeSafeOwner();
  const signed = await slow.signSetUp();
  const before = await held(settlement());
  const used = [await use(ada, 700), await use(ada, 300)];
  first.kill("SIGKILL");
  await first.exited;
  // Accepted while no worker runs: a Safe for the former operator, and a use for the former spender.
  const late = await new Person(service).becomeApproved();
  await late.call("POST", "/safe/deploy", {});
  used.push(await use(ada, 200));
  await restart(withFormer());
  await openServer();
  await openNode(service.rpcUrl).client.setBalance({ address: addressesOf(next).spender, value: euro });
  await untilApproved(addressesOf(next).spender, addressesOf(old).spender);
  carol = await becomeCardHolder(rotated);
  for (const [person, signature] of [
    [early, null],
    [slow, signed],
  ] as const) {
    const moved = Object.assign(new Person(rotated), { account: person.account, token: person.token });
    const body = { signature: signature ?? (await moved.signSetUp()) };
    expect(await moved.call("PATCH", "/account/deploy-safe-modules", body)).toMatchObject({ status: 200 });
  }
  used.push(await use(ada, 100), await use(carol, 400));
  expect(used.map(({ approved }) => approved)).toEqual([true, true, true, true, true]);
  for (const { threadId } of used.slice(0, 4)) await follow(ada, threadId, "clear");
  await untilSettled(service);
  expect((await held(settlement())) - before).toBe(17n * euro);
  await until(() => load.countAcknowledged() === 6);
  await load.stop();
  expect(load.surprises).toEqual([]);
  expect(new Set(await untilExecuted(service, load))).toEqual(new Set([1n]));
  const transfers = await db().select().from(cardTransfers);
  expect(transfers.map(({ status, direction }) => `${direction} ${status}`)).toEqual(Array(5).fill("spend DONE"));

  for (const person of [grace, late]) {
    const { address } = (await person.call("GET", "/safe/config")).body;
    expect(await readSafe(address)).toMatchObject({ status: "ok", ...addressesOf(old) });
  }
  expect(await readSafe(ada.safe)).toMatchObject(addressesOf(old));
  // In the older way the owner signs the set-up: for the spender that it named.
  for (const [person, keys] of [
    [early, next],
    [slow, old],
  ] as const) {
    const { address } = (await person.call("GET", "/safe/config")).body;
    const { rolesAddress, spender } = await readSafe(address);
    expect(spender).toBe(addressesOf(keys).spender);
    expect(await service.runtime.chain.listOwners(rolesAddress)).toEqual([spender]);
  }
  const safe = await readSafe(carol.safe);
  expect(safe).toMatchObject(addressesOf(next));
  // The Roles module's list of members is of the same form as the Delay module's list of owners.
  expect(await service.runtime.chain.listOwners(safe.rolesAddress)).toEqual([addressesOf(next).spender]);
});

test("money returns by the new spender to Safes of either key", async () => {
  for (const holder of [ada, carol]) {
    const [payment] = (await historyOf(holder)).results;
    if (holder === carol) await follow(carol, payment.threadId, "clear");
    await untilSettled(service);
    const before = await held(holder.safe as Address);
    await follow(holder, payment.threadId, "refund", { amount: 50 });
    await untilSettled(service);
    expect((await held(holder.safe as Address)) - before).toBe(euro / 2n);
  }
  const returns = await db().select().from(relayTransactions).where(eq(relayTransactions.purpose, "card.return"));
  expect(returns.map(({ relayer, status }) => [relayer, status])).toEqual(
    Array(2).fill([addressesOf(next).spender, "MINED"]),
  );
  expect(await findShortfall(service.runtime)).toBeNull();
});

test("the doctor says how many Safes need each key, and which key may leave", async () => {
  const { creator, spender } = addressesOf(old);
  const { severity, text } = await examine(withFormer(), "chain keys");
  expect(severity).toBe("ok");
  expect(text).toContain(`no Safe needs the operator's former key ${creator} any more`);
  expect(text).toContain(`6 Safes need the spender's former key ${spender}`);
  expect(await examine(environment({}), "chain keys")).toMatchObject({
    severity: "fault",
    text: `6 Safes need the spender's key ${spender}: put it back, see FORMER_SPENDER_PRIVATE_KEYS`,
  });
  for (const check of ["spender", "card returns", "settlement funds"])
    expect([check, await examine(withFormer(), check)]).toMatchObject([check, { severity: "ok" }]);
});

test("a spend waits while its Safe's key is in no setting, and runs once it is back; others run meanwhile", async () => {
  await restart(environment({}));
  await give(ada.person, ada.safe, euro);
  const before = await held(settlement());
  const waiting = await use(ada, 100);
  expect(waiting.approved).toBe(true);
  await use(carol, 100);
  await until(async () => (await held(settlement())) - before === euro);
  const open = await db().select().from(cardTransfers).where(eq(cardTransfers.status, "PLANNED"));
  expect(open).toHaveLength(1);
  await restart(environment({ FORMER_SPENDER_PRIVATE_KEYS: old.spender }));
  await untilSettled(service);
  expect((await held(settlement())) - before).toBe(2n * euro);
});

test("the former keys have no power over a Safe that was set up for the new ones", async () => {
  const safe = await readSafe(carol.safe);
  const { chainId, settlementAddress } = service.runtime.services.policy;
  const from = privateKeyToAddress(old.spender);
  const amount = 1n;
  const plan = { roles: safe.rolesAddress, chainId, token: tokens.EURe.address, settlement: settlementAddress, amount };
  const spend = buildSpend({ ...plan, salt: nameTransfer("rotation") });
  const build = async (key: Hex) => {
    const signed = await createSpenderKey(createLocalSigner(key)).signSpend(buildSpendTypedData(spend, chainId));
    return buildSignedSpend(spend, signed);
  };
  const { simulate } = service.runtime.chain;
  const direct = { to: safe.rolesAddress, value: 0n, data: spend.data };
  // The new key may do both, so the former one fails by its address alone.
  await simulate({ from: addressesOf(next).spender, call: direct });
  await simulate({ from, call: await build(next.spender) });
  await expect(simulate({ from, call: direct })).rejects.toMatchObject({ name: "CallReverted" });
  await expect(simulate({ from, call: await build(old.spender) })).rejects.toMatchObject({ name: "CallReverted" });
  for (const key of [old.operator, next.operator]) {
    const operator = createRelayerKey(createLocalSigner(key));
    const typed = buildSafeTypedData({ ...direct, safe: safe.address, chainId, nonce: 1, operation: "CALL" });
    const call = buildSafeExecution(typed, await signTypedData(operator, typed));
    await expect(simulate({ from: operator.address, call })).rejects.toMatchObject({ name: "CallReverted" });
  }
});
