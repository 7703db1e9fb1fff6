/**
 * Nonces of ours that another program used: the relay transaction is LOST, and what it was for is signed anew.
 *
 * Evidence, never the absence of a receipt at a node that may lag: the final transaction that holds the nonce is read
 * from its block, and is none of our attempts. Doubles are impossible: an enqueue and a spend are messages that a module
 * runs once, a dispatch names the head of its queue, a return is searched for by its tag before it is signed.
 */
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { noteForeignTransactions } from "@cardkeep/db/queries/chain/relay/lanes";
import { listRelayAttempts, type RelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import {
  findMinedBefore,
  listRelaySubjects,
  lockOpenRelayTransaction,
  type RelayTransaction,
  updateRelayTransaction,
} from "@cardkeep/db/queries/chain/relay/transactions";
import { restOn } from "../guards/reorgGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { renewSubject } from "./renewSubject.ts";

/** Reorganisations of a chain that is in order are less deep. */
const searchedBlocks = 64n;
/** An attempt is sent again after 1, 2, 4, 8 and 16 s, and then every 16 s. */
export const resendDoublingsMax = 4;
const buriedResendsMin = resendDoublingsMax + 1;

/** Marks a relay transaction LOST when a final block holds another transaction with its nonce; false while none does. */
export async function recordLoss(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  attempts: readonly RelayAttempt[],
): Promise<boolean> {
  const loss = await findLoss(ctx, transaction, attempts);
  if (!loss) return false;
  const { id, relayer, nonce, purpose, requestId } = transaction;
  const isRecorded = await ctx.commit(async (work) => {
    if (!(await lockOpenRelayTransaction(work.tx, id))) return false;
    // A replacement that was signed meanwhile has not been checked.
    if ((await listRelayAttempts(work.tx, id)).length !== attempts.length) return false;
    restOn(work, loss.block);
    await updateRelayTransaction(work.tx, id, {
      status: "LOST",
      lostAt: work.now,
      lostToHash: loss.hash,
      blockNumber: loss.block.blockNumber,
      blockHash: loss.block.blockHash,
      updatedAt: work.now,
    });
    for (const subject of await listRelaySubjects(work.tx, id)) await renewSubject(work, purpose, subject);
    await noteForeignTransactions(work.tx, relayer, 1n, work.now);
    return true;
  });
  if (!isRecorded) return false;
  const fields = { requestId, relayTransactionId: id, purpose, relayer, nonce: Number(nonce), lostTo: loss.hash };
  ctx.log.error(fields, "Another program used a nonce of this relayer key. Give each program its own keys.");
  return true;
}

/** The final block and the transaction in it that used the nonce; the hash is null where the block lies too deep. */
async function findLoss(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  attempts: readonly RelayAttempt[],
): Promise<{ block: SeenBlock; hash: Hex | null } | null> {
  const { relayer: sender, nonce } = transaction;
  // Before the head: what is counted is in a block up to that one.
  if (BigInt(await ctx.chain.getTransactionCount(sender, "latest")) <= nonce) return null;
  const { number: head } = await ctx.chain.getBlock();
  const finalBlock = head - BigInt(ctx.policy.confirmations) + 1n;
  const after = finalBlock > searchedBlocks ? finalBlock - searchedBlocks : 0n;
  const found = await ctx.chain.findTransactionAt({ sender, nonce, after, upTo: head });
  if (!found) return findBuriedLoss(ctx, transaction, attempts, after);
  const isOurs = attempts.some(({ hash }) => hash === found.hash);
  return isOurs || found.blockNumber > finalBlock ? null : { block: found, hash: found.hash };
}

/**
 * Used more than 64 final blocks ago, as after a long stop of this service. Nodes may disagree about the newest blocks, so
 * the transaction has to be older than these blocks, and to have been sent in vain for half a minute. The node has to know
 * what was mined before it.
 */
async function findBuriedLoss(
  ctx: WorkerContext,
  { createdAt }: RelayTransaction,
  attempts: readonly RelayAttempt[],
  number: bigint,
): Promise<{ block: SeenBlock; hash: null } | null> {
  const block = await ctx.chain.getBlockAt(number);
  const resends = Math.max(0, ...attempts.map((attempt) => attempt.resends));
  if (!block || block.timestamp * 1000 < createdAt.getTime() || resends < buriedResendsMin) return null;
  for (const { hash } of attempts) if (await ctx.chain.hasTransaction(hash)) return null;
  for (const { hash } of attempts) if (await ctx.chain.findReceipt(hash)) return null;
  // A node that was set up anew has none of so long ago, also not of ours that were mined: it would make a return be paid twice.
  const former = await findMinedBefore(ctx.db, createdAt);
  if (former !== null && !(await ctx.chain.findReceipt(former))) return null;
  return { block: { blockNumber: block.number, blockHash: block.hash }, hash: null };
}
