import { enqueue } from "@cardkeep/db/queue/enqueue";
import { type CardTransfer, takeBackTransfer } from "@cardkeep/db/queries/spending/transfers";
import type { Work } from "../context.ts";
import { recordDebt } from "./recordDebt.ts";
import { book } from "./plan.ts";

/**
 * Rolls back a transfer whose block is gone, in the records and in the ledger. The caller sends its signed transaction again,
 * where there is one; a transfer without one is signed anew.
 */
export async function rollBackTransfer(work: Work, ended: CardTransfer): Promise<void> {
  const back = await takeBackTransfer(work.tx, ended.id, work.now);
  if (!back) return;
  const { amount, direction } = back;
  if (direction === "spend") {
    const from = ended.status === "DONE" ? "settlement" : "safe";
    await book(work, back, { [from]: -amount, held: amount });
  } else if (ended.status === "DONE") {
    await book(work, back, { safe: -amount, settlement: amount });
  }
  await recordDebt(work, back.paymentId);
  if (back.status !== "PLANNED") return;
  await enqueue(work.tx, "card.transfer", { transferId: back.id, requestId: back.requestId });
}
