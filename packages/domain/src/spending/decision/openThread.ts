/** A request's thread in the commit of its decision: new, found, or answered before. */
import type { SpendingState } from "@cardkeep/chain/accountState";
import { insertThread } from "@cardkeep/db/queries/spending/payments";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { findThread, type Thread } from "@cardkeep/db/queries/spending/thread";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { approve, type Decision, refuse } from "./decision.ts";
import type { Behind } from "./decisionFacts.ts";
import { readBehind, readLocked } from "./readBehind.ts";
import type { Facts } from "./readFacts.ts";

/** The thread that a decision is written to. */
export interface OpenThread {
  /** A new id for the payment of a first request. */
  readonly paymentId: string;
  /** The authorization that an increment raises; null for a first request. */
  readonly growth: Thread | null;
  readonly card: SpendingCard;
  /** Null where no lock was taken. */
  readonly behind: Behind | null;
}

/** The answer to a request; `again` where the decision has to begin again. */
export type Answer = Decision | "again";

/**
 * Inserts the thread of a first request, or finds the authorization that an increment raises. Answers a request that was
 * decided before, and `again` where the card has other rules than before the lock.
 *
 * @param state the chain's answer, with which the Safe is locked; null for a decline, which needs no lock
 */
export async function openThread(
  work: Work,
  request: AuthorizationRequest,
  facts: Facts,
  state: SpendingState | null,
): Promise<OpenThread | { answer: Answer }> {
  const { threadId, ordinal } = request;
  const paymentId = generateId();
  const first = ordinal === 0 ? { id: paymentId, userId: facts.card.userId, threadId } : null;
  const locked = state && (await readLocked(work, facts, first));
  const card = locked?.card ?? facts.card;
  const isNew = locked ? locked.isNew : first !== null && (await insertThread(work.tx, first));
  const growth = isNew ? null : await findThread(work.tx, threadId);
  if (!isNew && growth === null) return { answer: await answerUnknown(work, request) };
  const answer = growth && answerAgain(growth, request, card.cardId);
  if (answer) return { answer };
  if (!hasSameRules(card, facts.card)) return { answer: "again" };
  const behind = locked && state && (await readBehind(work, request, facts, { state, locked, growth }));
  return { paymentId, growth, card, behind };
}

/** The answer where a thread has no payment: its increment is unknown, and its first request was archived. */
async function answerUnknown({ tx, requestId }: Work, { threadId, ordinal }: AuthorizationRequest): Promise<Decision> {
  if (ordinal === 0) throw new Error(`Thread ${threadId} has no payment`);
  // The issuer approved the first request without us, or its report is still on its way.
  await enqueue(tx, "card.settle", { threadId, requestId });
  return refuse("authorization_unknown");
}

/**
 * The recorded decision, for a request that comes again, or the decline of one that does not fit its thread. Null for an
 * increment that is new.
 */
function answerAgain(
  { payment, decisions }: Pick<Thread, "payment" | "decisions">,
  { ordinal, amountCents, currency }: Pick<AuthorizationRequest, "ordinal" | "amountCents" | "currency">,
  cardId: string,
): Decision | null {
  const isFirst = ordinal === 0;
  if (isFirst && payment.status === "DECLINED") return { approved: false, reason: payment.declineReason ?? "declined" };
  if (payment.cardId !== cardId || payment.billingCurrency !== currency) return refuse("thread_conflict");
  const known = decisions.find((decision) => decision.ordinal === ordinal);
  if (known === undefined) return isFirst ? refuse("thread_conflict") : null;
  if (known.askedCents !== amountCents) return refuse("thread_conflict");
  const { isApproved, reason, askedCents, approvedCents } = known;
  return isApproved ? approve(askedCents, approvedCents) : { approved: false, reason };
}

/** Whether the rules are the same that facts of the card had. */
const hasSameRules = (one: SpendingCard, other: SpendingCard): boolean =>
  one.sharedRuleStamp === other.sharedRuleStamp && one.ownRuleStamp === other.ownRuleStamp;
