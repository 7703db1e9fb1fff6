import type { ChainCall, ChainReceipt } from "@cardkeep/chain/log";
import { insertRelayAttemptIfNew } from "@cardkeep/db/queries/chain/relay/attempts";
import { insertLane, restoreNonce } from "@cardkeep/db/queries/chain/relay/lanes";
import {
  findRelayTransactionAt,
  insertRelayTransactionIfNew,
  isOpenRelayTransaction,
  type RelaySubject,
} from "@cardkeep/db/queries/chain/relay/transactions";
import type { RelayPurpose } from "@cardkeep/db/schema/chain/relayers";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import type { Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";

/** A mined transaction that one of our keys sent. */
export interface MinedTransaction {
  transaction: ChainCall;
  receipt: ChainReceipt;
  minedAt: Date;
}

/**
 * Gives a mined transaction of ours its row, with the signed bytes, so that a reorganisation can send it again.
 *
 * Its nonce counts as ours again, where it was taken for that of another program. Where a row of its nonce waits for
 * another attempt at the same call, this one becomes an attempt of that row. Returns whether anything was written.
 */
export async function restoreRelayTransaction(
  work: Work,
  { transaction, receipt, minedAt }: MinedTransaction,
  { purpose, subjects }: { purpose: RelayPurpose; subjects: readonly RelaySubject[] },
): Promise<boolean> {
  const { tx, now } = work;
  const [subject, ...companions] = subjects;
  const { from: relayer, to, nonce, value, data, gasLimit, raw } = transaction;
  if (!subject || raw === null) return false;
  await insertLane(tx, relayer, nonce);
  const known = await findRelayTransactionAt(tx, relayer, nonce);
  if (known && !(isOpenRelayTransaction(known) && known.to === to && known.data === data)) return false;
  const id = known?.id ?? generateId();
  if (!known) {
    const { transactionHash: minedHash, blockNumber, blockHash } = receipt;
    const status = receipt.status === "success" ? "MINED" : "REVERTED";
    const call = { relayer, to, nonce, value, data, gasLimit };
    const mined = { status, minedHash, blockNumber, blockHash, minedAt, createdAt: minedAt, updatedAt: now } as const;
    if (!(await insertRelayTransactionIfNew(tx, { id, purpose, ...subject, ...call, ...mined }, companions)))
      return false;
    await restoreNonce(tx, relayer, nonce);
    restOn(work, receipt);
  }
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction;
  return insertRelayAttemptIfNew(tx, {
    hash: receipt.transactionHash,
    relayTransactionId: id,
    raw,
    maxFeePerGas,
    maxPriorityFeePerGas,
    broadcastAt: minedAt,
    isCancellation: false,
    createdAt: minedAt,
  });
}
