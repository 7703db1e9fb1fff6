/** Threads that we approved and the issuer has nothing about: it lost them, or its keys are of another account. */
import type { Executor } from "@cardkeep/db/client";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import { listAllClearings } from "@cardkeep/db/queries/spending/paymentParts";
import { type CardPayment, findPaymentByThread, updatePayment } from "@cardkeep/db/queries/spending/payments";
import { upsertUnmatchedThread } from "@cardkeep/db/queries/spending/refunds";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import { openCase } from "../../core/openCase.ts";
import type { WorkerContext } from "../../core/context.ts";

const note =
  "The card issuer has nothing about this payment, so its money stays held. Settle it with the card issuer, then release the hold.";

/**
 * Keeps the hold of a lost thread as a case: with the keys of another account every thread would seem lost, and all money would go
 * back. It is looked at again a day later.
 */
export async function keepLostHold(ctx: WorkerContext, { threadId }: Pick<CardPayment, "threadId">): Promise<void> {
  await ctx.commit(async (work) => {
    const payment = await findPaymentByThread(work.tx, threadId);
    if (payment?.status !== "AUTHORIZED" || payment.holdEndedAt !== null) return;
    const { userId, authorizedCents: amountCents, billingCurrency: currency } = payment;
    const row = { threadId, reason: "unreadable", currency, amountMinor: amountCents } as const;
    await upsertUnmatchedThread(work.tx, { ...row, seenAt: work.now });
    await openCase(work, { kind: "unbooked", threadId, userId, currency, amountCents, note });
    await updatePayment(work.tx, payment, { updatedAt: work.now });
  });
}

/**
 * What takes the place of the report of a lost thread once its hold was released: an approval that expired, with what is
 * booked of it.
 */
export async function buildLostReport(on: Executor, payment: CardPayment): Promise<ThreadReport> {
  const card = await findCard(on, payment.cardId);
  if (!card) throw new Error(`Payment ${payment.id} has no card`);
  const { threadId, merchantMinor, merchantCurrency, transactionType, channel } = payment;
  const { walletTokenId, threeDSecure, authenticationExemption } = payment;
  const amountCents = payment.authorizedCents;
  const booked = await listAllClearings(on, payment);
  return {
    threadId,
    issuerCardId: card.cardToken,
    authorization: { isApproved: true, status: "expired", amountCents, requests: [], reason: null },
    currency: payment.billingCurrency,
    merchantMinor,
    merchantCurrency,
    merchant: {
      networkId: payment.merchantNetworkId,
      name: payment.merchantName,
      city: payment.merchantCity,
      country: payment.merchantCountry,
      mcc: payment.mcc,
    },
    transactionType,
    channel,
    verification: { walletTokenId, threeDSecure, authenticationExemption },
    clearings: booked.flatMap(({ kind, ...clearing }) => (kind === "reversal" ? [] : [{ ...clearing, kind }])),
    faults: [],
  };
}
