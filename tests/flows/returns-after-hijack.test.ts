/** Money that comes back once a Safe was changed from outside and given up: the thief's module could take it from there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { cardCases } from "@cardkeep/db/schema/tables";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { and, eq } from "drizzle-orm";
import { encodeFunctionData, getAddress, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openHostileOwner, queueCall, runQueue } from "../support/attacks.ts";
import { operatorOf } from "../support/operator.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, cent, euro, follow, setHolding, untilSettled, use } from "../support/spending.ts";
import { eure } from "../support/tokens.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

const holdingOf = async (safe: string) => (await service.runtime.chain.getTokenBalance(eure, safe as Hex)) / cent;

test("goes to the person's new Safe: a merchant's refund, one by hand and the credit of a fraud report; until then it waits as a case", async () => {
  const { db } = service.runtime;
  const ada = await becomeCardHolder(service, 100n * euro);
  const { person } = ada;
  const [refunded, byHand, reported] = [await use(ada, 2_000), await use(ada, 1_000), await use(ada, 3_000)];
  for (const { threadId } of [refunded, byHand, reported]) await follow(ada, threadId, "clear");
  await untilSettled(service);
  const [card] = (await person.call("GET", "/cards")).body;
  expect((await person.call("POST", `/cards/${card.id}/void`)).status).toBe(200);
  const to = getAddress(ada.safe);
  const owner = openHostileOwner(service, person, to);
  const thief = privateKeyToAccount(generatePrivateKey()).address;
  const abi = parseAbi(["function enableModule(address)"]);
  await queueCall(owner, { to, value: 0n, data: encodeFunctionData({ abi, args: [thief] }) });
  await runQueue(owner);
  await setHolding(service, ada.safe, 0n);
  await until(async () => (await person.call("DELETE", "/safe/reset")).status === 200);

  const isWaiting = and(eq(cardCases.kind, "return_waiting"), eq(cardCases.userId, person.userId ?? ""));
  const listWaiting = async () => (await db.select().from(cardCases).where(isWaiting)).map(({ status }) => status);
  await follow(ada, refunded.threadId, "refund", { amount: 2_000 });
  await refundPayment(operatorOf(service.runtime, "Damaged"), { reference: byHand.threadId, amount: "10" });
  await until(async () => (await listWaiting()).length === 2);
  expect(await holdingOf(ada.safe)).toBe(0n);

  await person.call("POST", "/safe/deploy");
  await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok");
  const safe: string = (await person.call("GET", "/safe/config")).body.address;
  const disputeReason = "unrecognized_transaction_report_fraudulent";
  const report = await person.call("POST", `/transactions/${reported.threadId}/dispute`, { disputeReason });
  expect(report.status).toBe(202);
  await until(async () => (await holdingOf(safe)) === 6_000n, { timeoutMs: 120_000 });
  await untilSettled(service);
  expect(await holdingOf(ada.safe)).toBe(0n);
  expect(await listWaiting()).toEqual(["CLOSED", "CLOSED"]);
}, 240_000);
