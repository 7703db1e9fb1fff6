import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import type { TreasuryItem } from "@cardkeep/db/queries/treasury/unannounced";

/** An unannounced movement as operators and programs read it. */
export const showMovement = (item: TreasuryItem) => ({
  id: item.id,
  token: item.token,
  amount: toDecimal(item.amount, tokens[item.token]),
  foundAt: item.foundAt,
  outcome: item.outcome,
  closedAt: item.closedAt,
  closedBy: item.closedBy,
  reason: item.reason,
});
export type ShownMovement = ReturnType<typeof showMovement>;
