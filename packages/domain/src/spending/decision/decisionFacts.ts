/** The facts of a decision: records, arrays and instants. */
import type { SpendingState } from "@cardkeep/chain/accountState";
import type { Token } from "@cardkeep/chain/tokens";
import type { SpendingFacts } from "@cardkeep/db/queries/spending/decisionFacts";
import type { Hold } from "@cardkeep/db/queries/spending/liveTransfers";
import type { SpendingCard } from "@cardkeep/db/queries/spending/spendingCard";
import type { Thread } from "@cardkeep/db/queries/spending/thread";
import type { AuthorizationRequest } from "@cardkeep/providers/issuer/spending";
import type { CardUse } from "../../core/cardRules/compileRule.ts";
import type { History, RuleMatch } from "../../core/cardRules/evaluateRules.ts";
import type { Policy } from "../../core/policy.ts";

/** What is known before the lock. */
export interface DecisionFacts extends Pick<SpendingFacts, "card" | "holds" | "checkedEntries" | "oldestHoldAt"> {
  /** How far this server's clock is behind the database's; 0 where it is not. */
  readonly behindMs: number;
  readonly safe: Pick<SpendingFacts["safe"], "status" | "cooldownSeconds">;
  readonly token: Token;
  /** What the card's rules say of a first request. Those of an increment wait for its whole amount. */
  readonly rules: RuleMatch;
  readonly policy: Pick<Policy, "partialApprovalCentsMin" | "contactWindowHours">;
}

/** What is known behind the lock. */
export interface Behind {
  readonly now: Date;
  /** The chain's answer from before the lock. It says which of the holds of that time had run. */
  readonly state: SpendingState;
  readonly card: SpendingCard;
  readonly holds: readonly Hold[];
  /** The authorization that an increment raises; null for a first request. */
  readonly growth: Thread | null;
  /** The rules that match, the use as they see it, and the earlier payments that they need. */
  readonly rules: RuleMatch;
  readonly use: CardUse;
  readonly history: History;
  /** When the wallet token was made; null for the card itself, `unknown` for a token without a row. */
  readonly tokenMadeAt: Date | "unknown" | null;
}

/** The parts of a request that decide. */
export type Asked = Pick<
  AuthorizationRequest,
  | "amountCents"
  | "currency"
  | "ordinal"
  | "cashbackCents"
  | "hasWrongSecurityCode"
  | "isAmountControllable"
  | "transactionType"
  | "verification"
>;
