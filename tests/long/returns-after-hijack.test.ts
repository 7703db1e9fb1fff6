/** Money that comes back once a Safe was changed from outside and given up: the thief's module could take it from there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { lockSafe, moveSafe } from "@cardkeep/db/queries/accounts/safes";
import { cardCases, cardTransfers, orderReturns } from "@cardkeep/db/schema/tables";
import { carryOutReturn } from "@cardkeep/domain/cards/orders/carryOutReturn";
import { returnPayment } from "@cardkeep/domain/cards/orders/orderReturns";
import { carryOutTransfer } from "@cardkeep/domain/spending/payments/carryOutTransfer";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { and, eq, sql } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, getAddress } from "viem";
import { type HostileOwner, runQueue } from "../support/attacks.ts";
import { changeSafe, deployAgain } from "../support/changedSafes.ts";
import { countLockWaits } from "../support/locks.ts";
import { openNode } from "../support/node.ts";
import { fullPrice, order } from "../support/orders.ts";
import { operatorOf } from "../support/operator.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import {
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  setHolding,
  untilSettled,
  use,
} from "../support/spending.ts";
import { eure } from "../support/tokens.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

const holdingOf = async (safe: string) => (await service.runtime.chain.getTokenBalance(eure, safe as Hex)) / cent;

/** Changes a person's Safe and empties it. Returns the owner who does. */
async function change(holder: CardHolder, options: { isRun: boolean }): Promise<HostileOwner> {
  const owner = await changeSafe(service, holder, options);
  await setHolding(service, holder.safe, 0n);
  return owner;
}

/** The same, and gives the Safe up. */
async function giveUp(holder: CardHolder, options: { isRun: boolean }): Promise<HostileOwner> {
  const owner = await change(holder, options);
  await until(async () => (await holder.person.call("DELETE", "/safe/reset")).status === 200);
  return owner;
}

/** A person whose payment is cleared. */
async function becomePayer(): Promise<CardHolder & { threadId: string }> {
  const holder = await becomeCardHolder(service, 100n * euro);
  const { threadId } = await use(holder, 2_000);
  await follow(holder, threadId, "clear");
  await untilSettled(service);
  return { ...holder, threadId };
}

const findReturn = async ({ person }: CardHolder) => {
  const isReturn = and(eq(cardTransfers.direction, "return"), eq(cardTransfers.userId, person.userId ?? ""));
  const [found] = await service.runtime.db.select().from(cardTransfers).where(isReturn);
  return found;
};

const listWaiting = async ({ person }: CardHolder) => {
  const isWaiting = and(eq(cardCases.kind, "return_waiting"), eq(cardCases.userId, person.userId ?? ""));
  const rows = await service.runtime.db.select().from(cardCases).where(isWaiting);
  return rows.map(({ status }) => status);
};

/** A person whose Safe paid an order twice. */
async function overpay(): Promise<CardHolder & { orderId: string }> {
  const eve = await becomeCardHolder(service, 100n * euro);
  const { person } = eve;
  const orderId = await order(person);
  const args = [service.runtime.settings.policy.treasuryAddress, 2n * fullPrice] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
  const transactionHash = await openNode(service.rpcUrl).sendAs(getAddress(eve.safe), { to: eure, data });
  expect((await person.call("PUT", `/order/${orderId}/attach-transaction`, { transactionHash })).status).toBe(200);
  await openNode(service.rpcUrl).client.mine({ blocks: 20 });
  expect((await person.call("PUT", `/order/${orderId}/confirm-payment`)).status).toBe(200);
  return { ...eve, orderId };
}

const onItsWay = "Cannot reset Safe account: money is on its way to it.";
const giveBack = (orderId: string) => returnPayment(operatorOf(service.runtime, "overpaid"), { orderId });

test("goes to the person's new Safe: a merchant's refund, one by hand and the credit of a fraud report; until then it waits as a case", async () => {
  const ada = await becomeCardHolder(service, 100n * euro);
  const [refunded, byHand, reported] = [await use(ada, 2_000), await use(ada, 1_000), await use(ada, 3_000)];
  for (const { threadId } of [refunded, byHand, reported]) await follow(ada, threadId, "clear");
  await untilSettled(service);
  await giveUp(ada, { isRun: true });
  await follow(ada, refunded.threadId, "refund", { amount: 2_000 });
  await refundPayment(operatorOf(service.runtime, "Damaged"), { reference: byHand.threadId, amount: "10" });
  await until(async () => (await listWaiting(ada)).length === 2);
  expect(await holdingOf(ada.safe)).toBe(0n);

  const safe = await deployAgain(ada);
  const disputeReason = "unrecognized_transaction_report_fraudulent";
  const report = await ada.person.call("POST", `/transactions/${reported.threadId}/dispute`, { disputeReason });
  expect(report.status).toBe(202);
  await until(async () => (await holdingOf(safe)) === 6_000n);
  await untilSettled(service);
  expect(await holdingOf(ada.safe)).toBe(0n);
  expect(await listWaiting(ada)).toEqual(["CLOSED", "CLOSED"]);
}, 240_000);

test("waits also where the change was only queued when its Safe was given up, and the new one does not wait for its next look", async () => {
  const bob = await becomePayer();
  const owner = await giveUp(bob, { isRun: false });
  await follow(bob, bob.threadId, "refund", { amount: 2_000 });
  await until(async () => (await listWaiting(bob)).length === 1);
  await runQueue(owner);
  const safe = await deployAgain(bob);
  await until(async () => (await holdingOf(safe)) === 2_000n, { timeoutMs: 25_000 });
  expect(await holdingOf(bob.safe)).toBe(0n);
}, 240_000);

test("what an order's payment brought beyond its use goes back to the payer's next Safe, and not before there is one", async () => {
  const eve = await overpay();
  await giveUp(eve, { isRun: false });
  await expect(giveBack(eve.orderId)).rejects.toMatchObject({ code: "orders.no_payer" });
  const safe = await deployAgain(eve);
  expect(await giveBack(eve.orderId)).toMatchObject({ recipient: safe });
  await until(async () => (await holdingOf(safe)) === 3_023n);
  expect(await holdingOf(eve.safe)).toBe(0n);
}, 240_000);

test("a return of an order that was planned before its Safe was given up waits as a case, and goes to the next one; once it is signed, the Safe is not given up", async () => {
  const gus = await overpay();
  await change(gus, { isRun: false });
  const { treasuryAddress } = service.runtime.settings.policy;
  const held = await service.runtime.chain.getTokenBalance(eure, treasuryAddress);
  await setHolding(service, treasuryAddress, 0n);
  const { id } = await giveBack(gus.orderId);
  const isRefused = sql`select 1 from graphile_worker.jobs
    where key = ${`order.return:${id}`} and run_at > now() + interval '15 seconds'`;
  await until(async () => (await service.runtime.db.execute(isRefused)).length > 0);
  const setSigned = (signedAt: Date | null) =>
    service.runtime.db.update(orderReturns).set({ signedAt }).where(eq(orderReturns.id, id));
  const reset = () => gus.person.call("DELETE", "/safe/reset");
  await setSigned(new Date());
  await until(async () => (await reset()).body.message === onItsWay);
  await setSigned(null);
  await until(async () => (await reset()).status === 200);
  await setHolding(service, treasuryAddress, held);
  await carryOutReturn(createWorkerContext(service.runtime), { returnId: id });
  expect(await listWaiting(gus)).toEqual(["OPEN"]);
  const safe = await deployAgain(gus);
  await until(async () => (await holdingOf(safe)) === 3_023n, { timeoutMs: 25_000 });
  await until(async () => (await listWaiting(gus))[0] === "CLOSED");
  expect(await holdingOf(gus.safe)).toBe(0n);
}, 240_000);

test("is not given up while a return to it is signed", async () => {
  const dan = await becomePayer();
  await change(dan, { isRun: false });
  const { client } = openNode(service.rpcUrl);
  await client.setAutomine(false);
  await client.setIntervalMining({ interval: 0 });
  await follow(dan, dan.threadId, "refund", { amount: 2_000 });
  await until(async () => (await findReturn(dan))?.status === "SIGNED");
  expect(await dan.person.call("DELETE", "/safe/reset")).toMatchObject({ status: 422, body: { message: onItsWay } });
  await client.setIntervalMining({ interval: 1 });
  await until(async () => (await findReturn(dan))?.status === "DONE");
  expect(await holdingOf(dan.safe)).toBe(2_000n);
}, 240_000);

test("gets no return that is signed while it is given up", async () => {
  const fay = await becomePayer();
  await change(fay, { isRun: false });
  const { settlementAddress } = service.runtime.settings.policy;
  const held = await service.runtime.chain.getTokenBalance(eure, settlementAddress);
  await setHolding(service, settlementAddress, 0n);
  await follow(fay, fay.threadId, "refund", { amount: 2_000 });
  // The return is tried again after half a minute.
  const isRefused = sql`select 1 from graphile_worker.jobs
    where key like 'card.transfer:%' and run_at > now() + interval '15 seconds'`;
  await until(async () => (await service.runtime.db.execute(isRefused)).length > 0);
  await setHolding(service, settlementAddress, held);
  const planned = await findReturn(fay);
  const signed = await service.ownerDb.transaction(async (tx) => {
    await lockSafe(tx, planned?.safeId ?? "");
    const carried = carryOutTransfer(createWorkerContext(service.runtime), { transferId: planned?.id ?? "" });
    await until(async () => (await countLockWaits(tx)) > 0);
    await moveSafe(tx, planned?.safeId ?? "", "reset", { updatedAt: new Date() });
    return { carried };
  });
  await signed.carried;
  await until(async () => (await listWaiting(fay)).length === 1);
  expect(await findReturn(fay)).toMatchObject({ status: "PLANNED", hash: null });
  expect(await holdingOf(fay.safe)).toBe(0n);
}, 240_000);
