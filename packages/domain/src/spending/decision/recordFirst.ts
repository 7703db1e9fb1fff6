/** The decision about a first request written down: the payment, its hold with its job, and its event. */
import { endedCardStatuses } from "@cardkeep/contract/cards/cards";
import { writeDecision } from "@cardkeep/db/queries/spending/writeDecision";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { holdUser } from "@cardkeep/db/queries/users/users";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import { enqueueBalanceChecks } from "../../accounts/balances/publishBalance.ts";
import type { Context, Work } from "../../core/context.ts";
import { atLeastZero, centsToBaseUnits } from "../../core/money.ts";
import { buildPaymentRow, withoutPayee } from "../payments/buildPaymentRow.ts";
import { enqueueTransfer, planTransferOf } from "../payments/planTransfer.ts";
import { buildTransactionEvent } from "../payments/publishPayment.ts";
import type { Verdict } from "./verdict.ts";
import { buildDecision, buildDecisionRow, type Decision, toMerchantShare } from "./decision.ts";
import type { OpenThread } from "./openThread.ts";
import type { Facts } from "./readFacts.ts";
import { recordHits } from "./recordHits.ts";

/** Writes the payment of a thread that this commit has inserted; an approval needs the Safe's lock. */
export async function recordFirst(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  { facts, opened, verdict }: { facts: Facts; opened: OpenThread; verdict: Verdict },
): Promise<Decision> {
  const { safe, token, wallets } = facts;
  const { paymentId, card } = opened;
  const { decline, askedCents, approvedCents } = verdict;
  const authorizedCents = decline ? atLeastZero(askedCents) : approvedCents;
  const target = centsToBaseUnits(approvedCents, token);
  const amounts = { authorizedCents, merchantMinor: toMerchantShare(request, authorizedCents), target };
  const shown = (await isErased(work, card)) ? withoutPayee(request) : request;
  const requested = buildPaymentRow(work, { ...card, id: paymentId }, shown, amounts);
  const change = decline
    ? ({ status: "DECLINED", declineResult: decline.result, declineReason: decline.reason } as const)
    : ({ status: "AUTHORIZED" } as const);
  const spend = decline ? null : planTransferOf(ctx, work, safe, requested, []);
  const payment = { ...requested, ...change, version: requested.version + 1, cardToken: card.cardToken };
  const decision = buildDecisionRow(work.now, requested, request, verdict);
  const eventType = decline ? "card.transaction.declined" : "card.transaction.created";
  const reported = { payment, safe, wallets, transfers: spend ? [spend.row] : [], clearing: null };
  const event = buildTransactionEvent(ctx, work, eventType, reported);
  const transfer = spend?.entry ? { row: spend.row, entry: spend.entry } : null;
  // One connection runs them in this order, so that each finds the rows that it refers to.
  const [isPending] = await Promise.all([
    writeDecision(work.tx, { payment, decision, transfer, event }),
    recordHits(work, verdict, payment),
    spend && enqueueTransfer(work, spend),
  ]);
  // Partners that get the event are those that get the balance.
  if (isPending) {
    work.wake("events");
    if (spend) await enqueueBalanceChecks(work, { ids: [safe.id] });
  }
  return buildDecision(verdict);
}

/** A person with a card that has not ended is not erased, so most decisions do not ask. */
const isErased = async ({ tx }: Work, { statusCode, userId }: SpendingCard): Promise<boolean> =>
  endedCardStatuses.some((ended) => ended === statusCode) && !(await holdUser(tx, userId));
