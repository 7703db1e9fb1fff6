import {
  forgetSetUpBlocks,
  listSafesAfter,
  rollBackEnds,
  rollBackEnqueues,
  rollBackRelayTransactions,
  rollBackSafe,
} from "@cardkeep/db/queries/chain/rollBack";
import { noteReorganisation } from "@cardkeep/db/queries/chain/blocks";
import { rollBackComparison } from "@cardkeep/db/queries/chain/comparison";
import { rollBackChecks } from "@cardkeep/db/queries/accounts/integrity";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { deleteRevertedGas } from "@cardkeep/db/queries/chain/relay/revertedGas";
import { listRelaySubjects } from "@cardkeep/db/queries/chain/relay/transactions";
import { findSafe, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { listTransfersAfter } from "@cardkeep/db/queries/spending/transfers";
import { listMovesAfter } from "@cardkeep/db/queries/treasury/moves";
import { rollBackPayments } from "../../cards/orders/rollBackPayments.ts";
import { rollBackMove } from "../../treasury/moves/rollBackMove.ts";
import { enqueueCardholderMirror } from "../../core/cardholders/mirrorCardholders.ts";
import type { Work } from "../../core/context.ts";
import { rollBackTransfer } from "../../spending/payments/endTransfer.ts";

/**
 * Rolls back what rests on blocks after one: records return to what the remaining chain shows, and the jobs that bring
 * them forward are added. Signed transactions are sent again as they are, or cancelled where they were given up, so that no
 * nonce is left out or used twice.
 */
export async function rollBack(work: Work, { chainId, after }: { chainId: number; after: bigint }): Promise<void> {
  const { tx, now } = work;
  await noteReorganisation(tx, chainId);
  await rollBackComparison(tx, chainId, after);
  for (const { safeId } of await rollBackChecks(tx, chainId, after, now)) {
    await enqueue(tx, "safe.violations", { safeId, requestId: work.requestId });
  }
  // A removed block may have held a violation.
  await enqueueCardholderMirror(work, chainId);
  for (const safeId of await listSafesAfter(tx, after)) await lockSafe(tx, safeId);
  for (const { id: safeId, requestId } of await forgetSetUpBlocks(tx, after)) {
    await enqueue(tx, "safe.setUpHistory", { safeId, requestId });
  }
  const transactions = await rollBackRelayTransactions(tx, after, now);
  await deleteRevertedGas(
    tx,
    transactions.map(({ id }) => id),
  );
  for (const { id: relayTransactionId, requestId } of transactions) {
    await enqueue(tx, "relay.broadcast", { relayTransactionId, requestId });
  }
  for (const { id, purpose, lostAt } of transactions) {
    // The subject of a lost one rests on the transaction that was signed after it.
    if (lostAt !== null || !purpose.startsWith("safe.")) continue;
    for (const { subjectId: safeId } of await listRelaySubjects(tx, id)) {
      await rollBackSafe(tx, safeId, purpose === "safe.setUp" ? "settingUp" : "processing", now);
      const safe = await findSafe(tx, safeId);
      if (safe) await enqueue(tx, "safe.deploy", { safeId, requestId: safe.requestId });
    }
  }
  for (const { safeId, requestId } of await rollBackEnqueues(tx, after, now)) {
    await enqueue(tx, "delay.relay", { safeId, requestId });
  }
  for (const { id: delayId, requestId } of await rollBackEnds(tx, after, now)) {
    await enqueue(tx, "delay.dispatch", { delayId, requestId });
  }
  for (const transfer of await listTransfersAfter(tx, after)) await rollBackTransfer(work, transfer);
  for (const move of await listMovesAfter(tx, after)) {
    const back = await rollBackMove(work, move);
    if (back?.status === "PLANNED") await enqueue(tx, "treasury.move", { moveId: back.id, requestId: back.requestId });
  }
  await rollBackPayments(work, after);
}
