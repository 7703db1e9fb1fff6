/** The decision about one use of a card: from facts of the database, the chain's state, and both again behind the lock. */
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import type { SpendingState } from "@cardkeep/chain/port";
import { tokens } from "@cardkeep/chain/tokens";
import { enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { findSpendingFacts, type SpendingFacts, type SpendingSafe } from "@cardkeep/db/queries/spending/facts";
import { lockDecision, readLockedFacts } from "@cardkeep/db/queries/spending/lockDecision";
import { claimThread } from "@cardkeep/db/queries/spending/payments";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import { findWalletToken } from "@cardkeep/db/queries/cards/walletTokens";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import pTimeout from "p-timeout";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import { hashesOf, sumHeld } from "../../accounts/balances/holds.ts";
import {
  buildUseFacts,
  countsByUser,
  findDecline,
  hasSameRules,
  listGrowthHits,
  listRulesOf,
  readHistory,
  RulesChanged,
} from "./checkRules.ts";
import {
  evaluateRules,
  matchRules,
  noHistory,
  type RuleHit,
  type RuleMatch,
} from "../../core/cardRules/evaluateRules.ts";
import type { CommitContext, Context, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { addressesOf } from "../../core/safeAccount.ts";
import {
  checkAccount,
  checkCard,
  checkContact,
  checkFreshness,
  computePart,
  type Decline,
  unavailable,
} from "./checkCard.ts";
import { baseUnitsToCents, centsToBaseUnits } from "../../core/money.ts";
import { type Decision, recordDecision, refuse, repeatDecision } from "./recordDecision.ts";
import { declineIncrement, findGrowing, recordIncrement } from "./recordIncrement.ts";

/** Facts of the database about a card whose Safe has a currency. */
type Facts = Omit<SpendingFacts, "safe"> & { safe: SpendingSafe & Pick<CurrencySafe, "tokenSymbol"> };

/** What is left for the database. A node that takes longer counts as unavailable: nothing is approved without its answer. */
const databaseMs = 150;
/** chain.follow reads new queue entries within a second. A check of the Safe is enqueued for those that it misses. */
const checkAgainMs = 3_000;

/**
 * Decides about a request and records the decision. An approval is rolled back where `isLate` is true after its writes. Where
 * rules of the card change meanwhile, it begins again.
 */
export async function decideAuthorization(
  ctx: CommitContext,
  request: AuthorizationRequest,
  isLate: () => boolean,
): Promise<Decision> {
  // An increment's transfer takes the next place in its payment.
  if (request.ordinal > 0) await requireTransfers(ctx, () => request.threadId);
  const found = await findSpendingFacts(ctx.reads, request.issuerCardId);
  if (!found) {
    ctx.log.warn({ threadId: request.threadId }, "an authorization names an unknown card");
    return refuse("card_unknown");
  }
  const { card, safe } = found;
  if (safe.tokenSymbol === null) return refuse("account_not_ready");
  const facts = { ...found, safe: { ...safe, tokenSymbol: safe.tokenSymbol } };
  const recordDecline = (decline: Decline, hits: readonly RuleHit[] = []) =>
    ctx.commit(async (work) => {
      if (request.ordinal > 0) return declineIncrement(work, request, card, decline);
      const claim = buildClaim(card, request);
      return (await claimThread(work.tx, claim))
        ? recordDecision(ctx, work, request, facts, { paymentId: claim.id, card, decline, approvedCents: 0n, hits })
        : repeatDecision(work, card, request);
    });

  const declinedCard = checkCard(card, request, safe.status === "ok" ? tokens[safe.tokenSymbol] : null);
  if (declinedCard) return recordDecline(declinedCard);
  const all = await listRulesOf(ctx, facts);
  // Rules see an increment as its payment with the grown amount, which is known behind the lock.
  const rules = request.ordinal > 0 ? { hits: [], pending: all } : matchRules(all, buildUseFacts(request, card.cardId));
  const declinedByRule = findDecline(rules.hits);
  if (declinedByRule) return recordDecline(declinedByRule, rules.hits);
  const state = await readSpendingState(ctx, facts);
  if (!state) return recordDecline(unavailable);
  const decision = await commitUnless(
    ctx,
    (work) => decideBehindLock(ctx, work, request, facts, { state, rules }),
    ({ approved }) => approved && isLate(),
  ).catch((error: unknown) => {
    if (error instanceof RulesChanged && !isLate()) return decideAuthorization(ctx, request, isLate);
    throw error;
  });
  return decision ?? recordDecline(unavailable);
}

/** The chain's limits of the spending; null where the node does not answer in time. */
async function readSpendingState(ctx: Context, { safe, holds }: Facts): Promise<SpendingState | null> {
  const state = ctx.chain
    .getSpendingState({
      token: tokens[safe.tokenSymbol].address,
      addresses: addressesOf(safe),
      cooldownSeconds: safe.cooldownSeconds,
      spender: safe.spender,
      messageHashes: hashesOf(holds),
    })
    .catch((error: unknown) => {
      if (!(error instanceof ChainUnavailable) && !(error instanceof CallReverted)) throw error;
      ctx.log.warn({ err: error }, "the chain could not be asked about an authorization");
      return null;
    });
  return pTimeout(state, { milliseconds: ctx.rules.decisionMsMax - databaseMs, fallback: () => null });
}

/** Decides with the Safe locked, and counts the holds that were planned since the chain was read. */
async function decideBehindLock(
  ctx: Context,
  work: Work,
  request: AuthorizationRequest,
  facts: Facts,
  { state, rules }: { state: SpendingState; rules: RuleMatch },
): Promise<Decision> {
  const { safe, holds, last, checkedEntries } = facts;
  const claim = buildClaim(facts.card, request);
  const isFirst = request.ordinal === 0;
  const { userId, cardId } = facts.card;
  const use = buildUseFacts(request, cardId);
  // One connection runs them in this order: each statement behind the lock sees what its earlier holders committed.
  const [, locked, history] = await Promise.all([
    // With the switch no approval commits after a stop of card payments: a stop waits for this one, or the card's row shows it.
    lockDecision(work.tx, { safeId: safe.id, userId: countsByUser(rules.pending) ? userId : null }),
    readLockedFacts(work.tx, {
      issuerCardId: request.issuerCardId,
      safeId: safe.id,
      after: last,
      claim: isFirst ? claim : null,
    }),
    isFirst ? readHistory(work, rules.pending, { use, userId, exceptId: null }) : null,
  ]);
  if (!locked) throw new Error("A card is gone");
  const { card, isClaimed } = locked;
  if (isFirst && !isClaimed) return repeatDecision(work, card, request);
  if (!hasSameRules(card, facts.card)) throw new RulesChanged();
  const growing = isFirst ? null : await findGrowing(work, request, card);
  if (growing && "answer" in growing) return growing.answer;
  const hits = growing
    ? await listGrowthHits(work, rules.pending, request, growing.payment)
    : [...rules.hits, ...evaluateRules(rules.pending, { ...use, at: work.now.getTime() }, history ?? noHistory)];
  const token = tokens[safe.tokenSymbol];
  const held = sumHeld(holds, state.hasRun, locked.holds);
  const amount = centsToBaseUnits(request.amountCents, token);
  const declinedAccount = checkAccount(state, { amount, held, checkedEntries });
  const partMin = centsToBaseUnits(ctx.rules.partialApprovalCentsMin, token);
  const part = isShort(declinedAccount) ? computePart(state, request, { held, partMin }) : null;
  const decline =
    growing?.decline ??
    checkCard(card, request, token) ??
    checkContact(card, request, { now: work.now, tokenMadeAt: await readTokenTime(work, card, request) }) ??
    findDecline(hits) ??
    checkFreshness(work.now, { chainAt: new Date(state.timestamp * 1000), ...facts }, ctx.rules) ??
    (part === null ? declinedAccount : null);
  const approvedCents = part === null ? request.amountCents : baseUnitsToCents(part, token);
  if (state.queueNonce > checkedEntries) {
    await enqueueIfNone(work.tx, "safe.check", { safeId: safe.id, requestId: work.requestId }, checkAgainMs);
  }
  if (growing) return recordIncrement(ctx, work, request, safe, { ...growing, approvedCents, decline, hits });
  return recordDecision(ctx, work, request, facts, { paymentId: claim.id, card, decline, approvedCents, hits });
}

/** When the wallet token of a request was made; read only while a change of the user's contact counts. */
async function readTokenTime(
  { tx, now }: Work,
  { contactSettlesAtMs }: SpendingCard,
  { verification: { walletTokenId } }: AuthorizationRequest,
): Promise<Date | "unknown" | null> {
  if (walletTokenId === null || contactSettlesAtMs === null || contactSettlesAtMs <= now.getTime()) return null;
  return (await findWalletToken(tx, walletTokenId))?.createdAt ?? "unknown";
}

/** Whether a smaller amount would be approved. */
const isShort = (decline: Decline | null): boolean =>
  decline?.reason === "insufficient_funds" || decline?.reason === "limit_exceeded";

/** The payment to be of a request. The same request may have arrived before, and its thread have a payment. */
const buildClaim = ({ userId }: SpendingCard, { threadId }: AuthorizationRequest) => ({
  id: generateId(),
  userId,
  threadId,
});

/** Commits the writes of `write`; rolls them back and returns null where `mustRollBack` is true of its result. */
async function commitUnless<T>(
  ctx: CommitContext,
  write: (work: Work) => Promise<T>,
  mustRollBack: (result: T) => boolean,
): Promise<T | null> {
  // A transaction is rolled back by an exception alone; this one is caught here and nowhere else.
  const rolledBack = new Error("Rolled back");
  return ctx
    .commit(async (work) => {
      const result = await write(work);
      if (mustRollBack(result)) throw rolledBack;
      return result;
    })
    .catch((error: unknown) => {
      if (error === rolledBack) return null;
      throw error;
    });
}
