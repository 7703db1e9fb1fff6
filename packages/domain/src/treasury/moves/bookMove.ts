import { bookSettlementChange } from "@cardkeep/db/queries/chain/settlementFunds";
import type { TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import type { Work } from "../../core/context.ts";

/** What an arrived move changes at the settlement account. */
function changeOf({ kind, amount }: Pick<TreasuryMove, "kind" | "amount">): bigint {
  if (kind === "sweep") return -amount;
  return kind === "contribute" ? amount : 0n;
}

/** Books an arrived move at the settlement account, so that the proof of funds expects it; `isBack`: its block was removed. */
export async function bookMove({ tx }: Work, move: TreasuryMove, { isBack = false } = {}): Promise<void> {
  const change = changeOf(move);
  if (change !== 0n) await bookSettlementChange(tx, move.token, isBack ? -change : change);
}
