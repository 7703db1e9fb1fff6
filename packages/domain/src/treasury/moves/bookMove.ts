import { bookSettlementChange } from "@cardkeep/db/queries/chain/settlementFunds";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { changeMove, type TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import type { Work } from "../../core/context.ts";

/** What an arrived move changes at the settlement account. */
function changeOf({ kind, amount }: Pick<TreasuryMove, "kind" | "amount">): bigint {
  if (kind === "sweep") return -amount;
  return kind === "contribute" ? amount : 0n;
}

/** Ends a signed move that arrived with its transaction, and books it; one that has ended stays as it is. */
export async function completeMove(
  work: Work,
  moveId: string,
  { hash, blockNumber }: { hash: Hex; blockNumber: bigint },
): Promise<void> {
  const change = { hash, endedBlock: blockNumber, updatedAt: work.now };
  const done = await changeMove(work.tx, moveId, { status: "DONE", ...change });
  if (done) await bookMove(work, done);
}

/** Books an arrived move at the settlement account, so that the proof of funds expects it; `isBack`: its block was removed. */
export async function bookMove({ tx }: Work, move: TreasuryMove, { isBack = false } = {}): Promise<void> {
  const change = changeOf(move);
  if (change !== 0n) await bookSettlementChange(tx, move.token, isBack ? -change : change);
}
