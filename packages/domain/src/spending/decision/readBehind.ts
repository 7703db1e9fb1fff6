/** What is read again behind the locks of a decision, where each statement sees what their earlier holders committed. */
import type { SpendingState } from "@cardkeep/chain/accountState";
import { findWalletToken } from "@cardkeep/db/queries/cards/walletTokens";
import { type LockedFacts, lockDecision, readLockedFacts } from "@cardkeep/db/queries/spending/lockDecision";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import type { Thread } from "@cardkeep/db/queries/spending/thread";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { CompiledRule } from "../../core/cardRules/compileRule.ts";
import { type History, matchRules, noHistory } from "../../core/cardRules/evaluateRules.ts";
import { mayTokenBeHidden } from "../../core/cardholders/contactWindow.ts";
import type { Work } from "../../core/context.ts";
import type { Behind } from "./decisionFacts.ts";
import type { Facts } from "./readFacts.ts";
import { readHistory } from "./readHistory.ts";
import { buildGrownUse } from "./ruleFacts.ts";

/** The card and the holds, and for a first request the payments that its rules need. */
export type Locked = LockedFacts & { readonly history: History | null };

/** Takes the locks, reads behind them, and inserts the thread of a first request. */
export async function readLocked(
  work: Work,
  { card: { cardToken, userId }, safe: { id: safeId }, last, rules: { pending }, use }: Facts,
  first: Parameters<typeof readLockedFacts>[1]["first"],
): Promise<Locked> {
  // One connection runs them in this order.
  const [, locked, history] = await Promise.all([
    // With the switch no approval commits after a stop of card payments: a stop waits for this one, or the card's row shows it.
    lockDecision(work.tx, { safeId, userId: countsByUser(pending) ? userId : null }),
    readLockedFacts(work.tx, { issuerCardId: cardToken, safeId, after: last, first }),
    first && readHistory(work, pending, { use, userId, exceptId: null }),
  ]);
  if (!locked) throw new Error("A card is gone");
  return { ...locked, history };
}

/** Whether rules count payments of all of a user's cards, so that its other decisions have to wait. */
const countsByUser = (rules: readonly CompiledRule[]): boolean =>
  rules.some(({ windows }) => windows.some(({ per }) => per === "user"));

/** Everything that a decision needs behind the locks. `growth` is the authorization that an increment raises. */
export async function readBehind(
  work: Work,
  request: AuthorizationRequest,
  { rules, use, policy }: Facts,
  { state, locked, growth }: { state: SpendingState; locked: Locked; growth: Thread | null },
): Promise<Behind> {
  const { now } = work;
  const { card, holds, history } = locked;
  const tokenMadeAt = await readTokenTime(work, { card, policy }, request.verification);
  const known = { now, state, card, holds, growth, tokenMadeAt };
  if (growth === null) return { ...known, rules, use: { ...use, at: now.getTime() }, history: history ?? noHistory };
  const grown = buildGrownUse(request, growth);
  const match = matchRules(rules.pending, grown);
  return {
    ...known,
    rules: match,
    use: { ...grown, at: now.getTime() },
    history: await readHistory(work, match.pending, { use: grown, userId: card.userId, exceptId: growth.payment.id }),
  };
}

/** When the wallet token of a request was made; read only while a thief's may be unknown here. */
async function readTokenTime(
  { tx, now }: Work,
  { card: { contactChangedAtMs, contactSettlesAtMs }, policy }: { card: SpendingCard; policy: Facts["policy"] },
  { walletTokenId }: AuthorizationRequest["verification"],
): Promise<Date | "unknown" | null> {
  if (walletTokenId === null || contactChangedAtMs === null || contactSettlesAtMs === null) return null;
  const window = { changedAt: new Date(contactChangedAtMs), settlesAt: new Date(contactSettlesAtMs) };
  if (!mayTokenBeHidden(window, policy, now)) return null;
  return (await findWalletToken(tx, walletTokenId))?.createdAt ?? "unknown";
}
