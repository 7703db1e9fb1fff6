import { afterAll, beforeAll, expect, test } from "bun:test";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { listRelayTransactions } from "@cardkeep/db/queries/chain/relay/bySubject";
import type { RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { closeCaseOf } from "@cardkeep/db/queries/spending/cases";
import { cardCases, orderReturns, orders, paymentHashes } from "@cardkeep/db/schema/tables";
import { renewSubject } from "@cardkeep/domain/chain/relay/renewSubject";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq, sql } from "drizzle-orm";
import { encodeFunctionData, erc20Abi } from "viem";
import { askCli } from "../support/cli.ts";
import { becomeComplete } from "../support/completePerson.ts";
import { holdJob } from "../support/jobs.ts";
import { openNode } from "../support/node.ts";
import { fullPrice, order, payFromNowhere, payFromWallet, statusOf, validatePhone } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { reorganise } from "../support/reorganise.ts";
import { type Service, startService } from "../support/service.ts";
import { setHolding } from "../support/spending.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
let worker: Worker;
beforeAll(async () => {
  service = await startService({ worker: false });
  worker = await startWorker(service.runtime);
});
afterAll(async () => {
  await worker.stop();
  await service.stop();
});

const node = () => openNode(service.rpcUrl).client;

/** A person's own signed payment, kept so that it can be sent again. Without the money it reverts. */
async function signPayment(person: Person, holds = fullPrice): Promise<Hex> {
  if (holds > 0n) await payFromNowhere(service, { to: person.account.address, amount: holds });
  await node().setBalance({ address: person.account.address, value: 10n ** 18n });
  // Blocks that the reorganisations below do not reach.
  await node().mine({ blocks: 12 });
  const args = [service.runtime.settings.policy.treasuryAddress, fullPrice] as const;
  const { baseFeePerGas } = await node().getBlock();
  return person.account.signTransaction({
    type: "eip1559",
    chainId: 100,
    nonce: await node().getTransactionCount({ address: person.account.address }),
    gas: 200_000n,
    maxFeePerGas: (baseFeePerGas ?? 0n) * 4n + 1n,
    maxPriorityFeePerGas: 1n,
    to: tokens.EURe.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args }),
  });
}

async function send(serializedTransaction: Hex): Promise<Hex> {
  const hash = await node().sendRawTransaction({ serializedTransaction });
  await openNode(service.rpcUrl).waitForReceipt(hash);
  return hash;
}

/** Blocks that may be mined between a look at the head and the reorganisation. */
const marginBlocks = 3;

/** Replaces the blocks from a transaction on by empty ones. */
async function dropFrom(hash: Hex): Promise<void> {
  const { blockNumber } = await node().getTransactionReceipt({ hash });
  const head = await node().getBlockNumber({ cacheTime: 0 });
  await reorganise(service, Number(head - blockNumber) + 1 + marginBlocks);
}

const caseOf = async (orderId: string) => {
  const [found] = await service.runtime.db.select().from(cardCases).where(eq(cardCases.orderId, orderId));
  return found?.status;
};
/** Waits until no job is left that looks at the order's transaction. */
const untilLookedAt = (orderId: string) =>
  until(async () => {
    const [row] = await service.runtime.db.execute<{ open: number }>(sql`
      select count(*)::int as open from graphile_worker._private_jobs
      where key = ${`order.payment:${orderId}`}`);
    return row?.open === 0;
  });
const rowOf = async (id: string) => (await service.runtime.db.select().from(orders).where(eq(orders.id, id)))[0];

const confirm = async (person: Person, id: string) => {
  // A server that just noted a reorganisation asks for a repetition too.
  const { status, body } = await person.ask("PUT", `/order/${id}/confirm-payment`);
  return { status, body };
};
const attach = (person: Person, id: string, transactionHash: Hex) =>
  person.call("PUT", `/order/${id}/attach-transaction`, { transactionHash });
const noPayment = { status: 400, body: { message: "Could not find payment in transaction hash." } };

test("a payment that a reorganisation drops makes nothing ready", async () => {
  const person = await becomeComplete(new Person(service));
  const id = await order(person);
  const hash = await send(await signPayment(person));
  await attach(person, id, hash);
  await dropFrom(hash);
  expect(await confirm(person, id)).toEqual(noPayment);
  expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
});

test("a ready order whose payment is dropped waits for it again, reserves it, and is ready after it is mined again", async () => {
  const person = await becomeComplete(new Person(service));
  const id = await order(person);
  const raw = await signPayment(person);
  const hash = await send(raw);
  await attach(person, id, hash);
  expect(await confirm(person, id)).toMatchObject({ status: 200 });
  expect(await statusOf(person, id)).toBe("READY");

  await dropFrom(hash);
  await until(async () => (await statusOf(person, id)) === "PENDINGTRANSACTION");
  expect(await confirm(person, id)).toEqual(noPayment);
  const bob = await becomeComplete(new Person(service));
  expect((await attach(bob, await order(bob), hash)).status).toBe(400);

  await send(raw);
  await until(async () => (await statusOf(person, id)) === "READY");
  const [row] = await service.runtime.db.select().from(orders).where(eq(orders.id, id));
  expect(row?.paymentBlock).toBe((await node().getTransactionReceipt({ hash })).blockNumber);
  const [claim] = await service.runtime.db.select().from(paymentHashes).where(eq(paymentHashes.hash, hash));
  expect(claim).toMatchObject({ orderId: id, provenAt: expect.any(Date) });
});

test("a ready order whose payment is dropped while no worker looks goes back, also where a server recorded a later block", async () => {
  const person = await becomeComplete(new Person(service));
  const id = await order(person);
  const hash = await send(await signPayment(person));
  await attach(person, id, hash);
  expect(await confirm(person, id)).toMatchObject({ status: 200 });
  const other = await becomeComplete(new Person(service));
  const otherId = await order(other);
  await worker.stop();
  await dropFrom(hash);
  await attach(other, otherId, await send(await signPayment(other)));
  expect(await confirm(other, otherId)).toMatchObject({ status: 200 });
  worker = await startWorker(service.runtime);
  await until(async () => (await statusOf(person, id)) === "PENDINGTRANSACTION");
  await until(async () => (await statusOf(other, otherId)) === "READY");
});

test("an order that waits for its person's data goes back too, and a phone does not make it ready meanwhile", async () => {
  const person = await new Person(service).becomeApproved();
  const id = await order(person);
  const hash = await send(await signPayment(person));
  await attach(person, id, hash);
  expect(await confirm(person, id)).toMatchObject({ status: 200 });
  expect(await statusOf(person, id)).toBe("CONFIRMATIONREQUIRED");
  await dropFrom(hash);
  await until(async () => (await statusOf(person, id)) === "PENDINGTRANSACTION");
  await validatePhone(person);
  expect(await statusOf(person, id)).toBe("PENDINGTRANSACTION");
});

test("a cancelled order whose payment is dropped has no money to return, until it is mined again", async () => {
  const person = await new Person(service).becomeApproved();
  const id = await order(person);
  const raw = await signPayment(person);
  const hash = await send(raw);
  await attach(person, id, hash);
  expect(await confirm(person, id)).toMatchObject({ status: 200 });
  await person.call("POST", `/order/${id}/cancel`);
  expect(await caseOf(id)).toBe("OPEN");
  // One that no worker has signed yet, and whose case the act of the operator closed.
  const { db } = service.runtime;
  const { userId, account } = person;
  const planned = { id: `return-of-${id}`, orderId: id, userId: userId ?? "", ordinal: 0, requestId: "test" };
  await holdJob(service, "order.return", { returnId: planned.id, requestId: planned.requestId });
  await db
    .insert(orderReturns)
    .values({ ...planned, recipient: account.address, amount: fullPrice, createdAt: new Date() });
  const closed = { closedAt: new Date(), closedBy: "ada", closeReason: "cancelled" };
  await db.transaction((tx) => closeCaseOf(tx, { kind: "order_return", subjectId: id }, closed));

  await dropFrom(hash);
  await until(async () => (await rowOf(id))?.paidAmount === null);
  expect(await caseOf(id)).toBe("CLOSED");
  expect(await rowOf(id)).toMatchObject({ status: "CANCELLED", paidAmount: null });
  expect(await db.$count(paymentHashes, eq(paymentHashes.hash, hash))).toBe(0);
  expect(await db.$count(orderReturns, eq(orderReturns.orderId, id))).toBe(0);

  await send(raw);
  await until(async () => (await caseOf(id)) === "OPEN");
  expect(await rowOf(id)).toMatchObject({ status: "CANCELLED", paidAmount: fullPrice });
});

test("what was kept for a free order is no money to return once its block is dropped", async () => {
  const person = await becomeComplete(new Person(service));
  const id = await order(person);
  const hash = await send(await signPayment(person));
  await attach(person, id, hash);
  await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "FREECARD" });
  expect(await confirm(person, id)).toMatchObject({ status: 200 });
  await until(async () => (await caseOf(id)) === "OPEN");
  await dropFrom(hash);
  await until(async () => (await caseOf(id)) === "CLOSED");
  expect(await rowOf(id)).toMatchObject({ status: "READY", paidAmount: null });
});

test.each([
  ["failed", "FAILEDTRANSACTION"],
  ["free", "READY"],
])(
  "money of a transaction that reverted, and moves it after a reorganisation, is a case of its %s order",
  async (kind, status) => {
    const person = await becomeComplete(new Person(service));
    const id = await order(person);
    const raw = await signPayment(person, 0n);
    const hash = await send(raw);
    await attach(person, id, hash);
    if (kind === "free") {
      await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "FREECARD" });
      expect(await confirm(person, id)).toMatchObject({ status: 200 });
    }
    await until(async () => (await rowOf(id))?.status === status);
    await untilLookedAt(id);
    await dropFrom(hash);
    await payFromNowhere(service, { to: person.account.address });
    await send(raw);
    await until(async () => (await caseOf(id)) === "OPEN");
    expect(await rowOf(id)).toMatchObject({ status, paidAmount: fullPrice });
  },
);

test("a free order depends on no block", async () => {
  const person = await new Person(service).becomeApproved();
  const id = await order(person);
  await person.call("POST", `/order/${id}/attach-coupon`, { couponCode: "FREECARD" });
  expect(await confirm(person, id)).toMatchObject({ status: 200 });
  const other = await new Person(service).becomeApproved();
  const hash = await send(await signPayment(other));
  await dropFrom(hash);
  const head = await node().getBlockNumber({ cacheTime: 0 });
  await until(async () => (await service.runtime.chain.getBlock()).number > head);
  expect(await statusOf(person, id)).toBe("READY");
});

test("a return that reverted and was signed anew pays once also where its block is dropped", async () => {
  const person = await becomeComplete(new Person(service));
  const id = await order(person);
  const { account } = person;
  const hash = await payFromWallet(service, account, { amount: fullPrice * 2n });
  await attach(person, id, hash);
  expect(await confirm(person, id)).toMatchObject({ status: 200 });
  await node().mine({ blocks: 12 });
  const { db, chain, settings } = service.runtime;
  const { treasuryAddress } = settings.policy;
  const funds = await chain.getTokenBalance(tokens.EURe.address, treasuryAddress);
  const returned = async () => (await db.select().from(orderReturns).where(eq(orderReturns.orderId, id)))[0];
  const listSent = async () => await listRelayTransactions(db, (await returned())?.id ?? "");
  // It is signed while the treasury has the money, and mined after that is gone.
  await node().setAutomine(false);
  await node().setIntervalMining({ interval: 0 });
  await askCli(service, "orders", "return", id, "--reason", "overpaid");
  await until(async () => (await listSent())[0]?.attempts[0]?.broadcastAt != null);
  await setHolding(service, treasuryAddress, 0n);
  await node().setAutomine(true);
  await node().setIntervalMining({ interval: 1 });
  await until(async () => (await listSent())[0]?.transaction.status === "REVERTED");
  await setHolding(service, treasuryAddress, funds);
  await until(async () => {
    await db.execute(sql`select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs
      where task_identifier = 'order.return' and locked_at is null), run_at := now())`);
    return (await returned())?.paidAt != null;
  });

  const [reverted] = await listSent();
  await dropFrom(reverted?.transaction.minedHash ?? "0x");
  const isMinedAgain = ({ status, updatedAt }: RelayTransaction) =>
    status === "MINED" && updatedAt > (reverted?.transaction.updatedAt ?? updatedAt);
  await until(async () => {
    const sent = await listSent();
    return sent.length === 2 && sent.every(({ transaction }) => isMinedAgain(transaction));
  });
  await until(async () => (await returned())?.paidAt != null);
  expect(await chain.getTokenBalance(tokens.EURe.address, account.address)).toBe(fullPrice);
  expect(await chain.getTokenBalance(tokens.EURe.address, treasuryAddress)).toBe(funds - fullPrice);

  // The first one may be settled last: the return rests on the other.
  const paid = await returned();
  const subject = { subjectId: paid?.id ?? "", requestId: "test" };
  await createWorkerContext(service.runtime).commit((work) => renewSubject(work, "order.return", subject));
  expect(await returned()).toEqual(paid);
});
