/** What is read of a use of a card before the lock: the database at one instant, the card's rules, and the chain. */
import { CallReverted, ChainUnavailable } from "@cardkeep/chain/errors";
import type { SpendingState } from "@cardkeep/chain/accountState";
import { type Token, tokens } from "@cardkeep/chain/tokens";
import type { DeclineReason } from "@cardkeep/contract/spending/declineReasons";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { findSpendingFacts, type SpendingFacts, type SpendingSafe } from "@cardkeep/db/queries/spending/decisionFacts";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import pTimeout from "p-timeout";
import { hashesOf } from "../../accounts/balances/holds.ts";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import { type CompiledRule, compileRule, type UseFacts } from "../../core/cardRules/compileRule.ts";
import { matchRules } from "../../core/cardRules/evaluateRules.ts";
import { orderRules } from "../../core/cardRules/orderRules.ts";
import type { Context } from "../../core/context.ts";
import { addressesOf } from "../../core/safeAccount.ts";
import type { DecisionFacts } from "./decisionFacts.ts";
import { buildUseFacts } from "./ruleFacts.ts";

/** The facts of a card whose Safe has a currency. */
export interface Facts extends DecisionFacts, Pick<SpendingFacts, "wallets" | "last"> {
  readonly safe: SpendingSafe & Pick<CurrencySafe, "tokenSymbol">;
  readonly token: Token;
  readonly use: UseFacts;
}

/** What is left for the database. A node that takes longer counts as unavailable: nothing is approved without its answer. */
const databaseMs = 150;

/**
 * The facts of a request before the lock; a reason to decline where there is no card or no currency to decide about.
 *
 * @throws RowsMissing for an increment while the payment's transfers may be missing
 */
export async function readFacts(ctx: Context, request: AuthorizationRequest): Promise<Facts | DeclineReason> {
  const isFirst = request.ordinal === 0;
  // An increment's transfer takes the next place in its payment.
  if (!isFirst) await requireTransfers(ctx, () => request.threadId);
  const found = await findSpendingFacts(ctx.reads, request.issuerCardId);
  if (!found) {
    ctx.log.warn({ threadId: request.threadId }, "an authorization names an unknown card");
    return "card_unknown";
  }
  // The same money may have been approved for a use whose rows are lost.
  if (found.isLacking) return "unavailable";
  const { card, safe } = found;
  if (safe.tokenSymbol === null) return "account_not_ready";
  const use = buildUseFacts(request, card.cardId);
  const all = await listRulesOf(ctx, found);
  return {
    ...found,
    behindMs: Math.max(0, found.readAt.getTime() - Date.now()),
    safe: { ...safe, tokenSymbol: safe.tokenSymbol },
    token: tokens[safe.tokenSymbol],
    use,
    // Rules see an increment as its payment with the grown amount, which is known behind the lock.
    rules: isFirst ? matchRules(all, use) : { hits: [], pending: all },
    policy: ctx.policy,
  };
}

/** All rules about a card, in their order. Reads nothing but shared rules that changed since this process read them. */
async function listRulesOf(
  { sharedRules }: Pick<Context, "sharedRules">,
  { card, partnerId, ownRules }: SpendingFacts,
): Promise<readonly CompiledRule[]> {
  const shared = await sharedRules.list(card.sharedRuleStamp, partnerId);
  return ownRules.length === 0 ? shared : [...shared, ...orderRules(ownRules.map(compileRule))];
}

/** The chain's limits of the spending; null where the node does not answer in time. */
export async function readSpendingState(ctx: Context, { safe, token, holds }: Facts): Promise<SpendingState | null> {
  const state = ctx.chain
    .getSpendingState({
      token: token.address,
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
  return pTimeout(state, { milliseconds: ctx.policy.decisionMsMax - databaseMs, fallback: () => null });
}
