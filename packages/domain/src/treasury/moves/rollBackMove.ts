import { moveMoveBack, type TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import type { Work } from "../../core/context.ts";
import { bookMove } from "./bookMove.ts";

/**
 * Rolls back a move whose block is gone, and what it changed at the settlement account. The caller sends its signed
 * transaction again, where there is one; a move without one is signed anew.
 */
export async function rollBackMove(work: Work, ended: TreasuryMove): Promise<TreasuryMove | null> {
  const back = await moveMoveBack(work.tx, ended.id, work.now);
  if (back && ended.status === "DONE") await bookMove(work, ended, { isBack: true });
  return back;
}
