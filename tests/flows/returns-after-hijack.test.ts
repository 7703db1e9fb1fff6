/** Money that comes back once a Safe was changed from outside and given up: the thief's module could take it from there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { cardCases } from "@cardkeep/db/schema/tables";
import { returnPayment } from "@cardkeep/domain/cards/orders/orderReturns";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { and, eq } from "drizzle-orm";
import { encodeFunctionData, erc20Abi, getAddress, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type HostileOwner, openHostileOwner, queueCall, runQueue } from "../support/attacks.ts";
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

let service: Service;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

const holdingOf = async (safe: string) => (await service.runtime.chain.getTokenBalance(eure, safe as Hex)) / cent;

/** Ends a person's cards and gives up the Safe once its owner has queued a right to take its money. Returns that owner. */
async function giveUp({ person, safe }: CardHolder, { isRun }: { isRun: boolean }): Promise<HostileOwner> {
  const [card] = (await person.call("GET", "/cards")).body;
  expect((await person.call("POST", `/cards/${card.id}/void`)).status).toBe(200);
  const to = getAddress(safe);
  const owner = openHostileOwner(service, person, to);
  const thief = privateKeyToAccount(generatePrivateKey()).address;
  const abi = parseAbi(["function enableModule(address)"]);
  await queueCall(owner, { to, value: 0n, data: encodeFunctionData({ abi, args: [thief] }) });
  if (isRun) await runQueue(owner);
  await setHolding(service, safe, 0n);
  await until(async () => (await person.call("DELETE", "/safe/reset")).status === 200);
  return owner;
}

const listWaiting = async ({ person }: CardHolder) => {
  const isWaiting = and(eq(cardCases.kind, "return_waiting"), eq(cardCases.userId, person.userId ?? ""));
  const rows = await service.runtime.db.select().from(cardCases).where(isWaiting);
  return rows.map(({ status }) => status);
};

async function setUpAnother({ person }: CardHolder): Promise<string> {
  await person.call("POST", "/safe/deploy");
  await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok");
  return (await person.call("GET", "/safe/config")).body.address;
}

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

  const safe = await setUpAnother(ada);
  const disputeReason = "unrecognized_transaction_report_fraudulent";
  const report = await ada.person.call("POST", `/transactions/${reported.threadId}/dispute`, { disputeReason });
  expect(report.status).toBe(202);
  await until(async () => (await holdingOf(safe)) === 6_000n);
  await untilSettled(service);
  expect(await holdingOf(ada.safe)).toBe(0n);
  expect(await listWaiting(ada)).toEqual(["CLOSED", "CLOSED"]);
}, 240_000);

test("waits also where the change was only queued when its Safe was given up, and the new one does not wait for its next look", async () => {
  const bob = await becomeCardHolder(service, 100n * euro);
  const { threadId } = await use(bob, 2_000);
  await follow(bob, threadId, "clear");
  await untilSettled(service);
  const owner = await giveUp(bob, { isRun: false });
  await follow(bob, threadId, "refund", { amount: 2_000 });
  await until(async () => (await listWaiting(bob)).length === 1);
  await runQueue(owner);
  const safe = await setUpAnother(bob);
  await until(async () => (await holdingOf(safe)) === 2_000n, { timeoutMs: 25_000 });
  expect(await holdingOf(bob.safe)).toBe(0n);
}, 240_000);

test("what an order's payment brought beyond its use goes back to the payer's next Safe, and not before there is one", async () => {
  const eve = await becomeCardHolder(service, 100n * euro);
  const { person } = eve;
  const orderId = await order(person);
  const args = [service.runtime.settings.policy.treasuryAddress, 2n * fullPrice] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
  const transactionHash = await openNode(service.rpcUrl).sendAs(getAddress(eve.safe), { to: eure, data });
  expect((await person.call("PUT", `/order/${orderId}/attach-transaction`, { transactionHash })).status).toBe(200);
  await openNode(service.rpcUrl).client.mine({ blocks: 20 });
  expect((await person.call("PUT", `/order/${orderId}/confirm-payment`)).status).toBe(200);
  await giveUp(eve, { isRun: false });
  const giveBack = () => returnPayment(operatorOf(service.runtime, "overpaid"), { orderId });
  await expect(giveBack()).rejects.toMatchObject({ code: "orders.no_payer" });
  const safe = await setUpAnother(eve);
  expect(await giveBack()).toMatchObject({ recipient: safe });
  await until(async () => (await holdingOf(safe)) === 3_023n);
  expect(await holdingOf(eve.safe)).toBe(0n);
}, 240_000);
