import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import type { DisputeReason } from "@cardkeep/contract/core/disputeReasons";
import { fail } from "@cardkeep/contract/core/errors";
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import { lockCard } from "@cardkeep/db/queries/cards/cards";
import { lockSafe } from "@cardkeep/db/queries/accounts/safes";
import type { Executor } from "@cardkeep/db/client";
import { type CardDispute, insertDispute } from "@cardkeep/db/queries/spending/disputes";
import { type CardPayment, findPaymentByThread, listClearings } from "@cardkeep/db/queries/spending/payments";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { findUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { changeStatus } from "../../cards/cards/changeStatus.ts";
import type { Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { isReturnedByHand } from "../payments/debtAmounts.ts";
import { findCreditDue } from "./unauthorizedPayment.ts";
import { publishDispute } from "./publishDispute.ts";

export const fraud = "unrecognized_transaction_report_fraudulent";

/** Payments that moved no money, or returned it, cannot be disputed. */
export const disputable: readonly PaymentStatus[] = ["AUTHORIZED", "CLEARED"];

/** A payment that can be disputed. @throws transactions.not_found, transactions.declined, transactions.no_money */
export async function requireDisputable(on: Executor, payment: CardPayment | null): Promise<CardPayment> {
  if (!payment) return fail("transactions.not_found");
  const transfers = await listTransfers(on, payment.userId, [payment.id]);
  if (disputable.includes(payment.status) && !isReturnedByHand(payment, transfers)) return payment;
  return fail(payment.status === "DECLINED" ? "transactions.declined" : "transactions.no_money");
}

/**
 * Begins the dispute of a payment, once; a job takes it to the issuer when it is claimed. One reported as fraud closes its card.
 *
 * @throws transactions.not_found, transactions.declined, transactions.no_money, transactions.already_disputed
 */
export async function beginDispute(work: Work, found: CardPayment, reason: DisputeReason): Promise<CardDispute> {
  const { tx, now, requestId } = work;
  await lockSafe(tx, found.safeId);
  const payment = await requireDisputable(tx, await findPaymentByThread(tx, found.threadId));
  const { id: paymentId, userId } = payment;
  const creditDueAt = reason === fraud ? await readCreditDue(work, payment) : null;
  const begun = { id: generateId(), paymentId, userId, reason, creditDueAt, requestId, createdAt: now };
  const row = (await insertDispute(tx, begun)) ?? fail("transactions.already_disputed");
  await enqueue(tx, "card.dispute", { disputeId: row.id, requestId });
  await publishDispute(work, row, payment);
  if (reason === fraud) await closeCard(work, payment.cardId);
  return row;
}

/** By when the law returns the money of a payment that is reported now; the debit is dated by the issuer's capture. */
export async function readCreditDue({ tx, now }: Work, payment: CardPayment): Promise<Date | null> {
  const [user, captures] = await Promise.all([findUser(tx, payment.userId), listClearings(tx, payment, "capture")]);
  const debitedAt = captures.at(-1)?.postedAt ?? payment.createdAt;
  return findCreditDue({ country: user?.country ?? null, debitedAt, reportedAt: now });
}

/** Closes a card for good; one that has ended stays as it is. */
async function closeCard(work: Work, cardId: string): Promise<void> {
  const card = await lockCard(work.tx, cardId);
  if (card) await changeStatus(work, card, cardStatusCodes.restricted);
}
