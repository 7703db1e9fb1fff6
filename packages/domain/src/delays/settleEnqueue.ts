/** What became of an enqueue: its operation is queued on chain, QUEUING to WAITING, or cannot be any more. */
import { findEnqueueLog, type QueueEntry } from "@cardkeep/chain/delay";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/reader";
import type { Address } from "@cardkeep/contract/primitives";
import { enqueue } from "@cardkeep/db/jobs";
import { type DelayTransaction, findDelay, moveDelay } from "@cardkeep/db/queries/delays";
import { listRelaySubjects, type RelayTransaction } from "@cardkeep/db/queries/relayers";
import { restOn } from "../chain/fence.ts";
import type { Work, WorkerContext } from "../context.ts";
import { remember } from "../remember.ts";
import { findQueueEntry } from "./chainHistory.ts";
import { failDelay } from "./fail.ts";

const againMs = 5_000;

/** What our mined transaction means for each operation it carried; one that was refused in it says nothing of the others. */
export async function settleEnqueue(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
): Promise<(work: Work) => Promise<void>> {
  const subjects = await listRelaySubjects(ctx.db, transaction.id);
  const chain = askOnce(ctx);
  const writes = await Promise.all(subjects.map(({ subjectId }) => settleOne(ctx, chain, subjectId, receipt)));
  return async (work) => {
    for (const write of writes) await write(work);
  };
}

type Asked = ReturnType<typeof askOnce>;

/** What the operations of one transaction ask alike, asked once for all of them. */
function askOnce({ chain, clock, db }: WorkerContext) {
  return {
    getNow: remember((_: void) => clock.now(db)),
    getLatest: remember((_: void) => chain.getBlock()),
    getBlockAt: remember((number: bigint) => chain.getBlockAt(number)),
    getDelayState: remember((delay: Address) => chain.getDelayState(delay)),
  };
}

/** Queued by it, queued by somebody who relayed the same bytes first, or neither. */
async function settleOne(
  ctx: WorkerContext,
  chain: Asked,
  delayId: string,
  receipt: ChainReceipt,
): Promise<(work: Work) => Promise<void>> {
  const item = await findDelay(ctx.db, delayId);
  if (item?.status !== "QUEUING") return async () => {};
  const entry = findEnqueueLog(receipt.logs, { delay: item.delayAddress, messageHash: item.messageHash });
  return entry ? markQueued(chain, item, entry) : judgeEnqueue(ctx, item, null);
}

/** Decides about an operation whose enqueue the chain refused, from what the chain says of its message. */
export async function judgeEnqueue(
  ctx: WorkerContext,
  item: DelayTransaction,
  reason: string | null,
): Promise<(work: Work) => Promise<void>> {
  const head = await ctx.chain.getBlock();
  const block = { blockNumber: head.number, blockHash: head.hash };
  const isConsumed = await ctx.chain.isMessageConsumed({
    delay: item.delayAddress,
    signer: item.signer,
    messageHash: item.messageHash,
  });
  const entry = isConsumed ? await findQueueEntry(ctx, item) : null;
  if (entry) return markQueued(askOnce(ctx), item, entry);
  if (isConsumed) return (work) => failDelay(work, item, "The signer invalidated the signed message", block);
  if (reason !== null) return (work) => failDelay(work, item, reason, block);
  return ({ tx }) => enqueue(tx, "delay.relay", { safeId: item.safeId, requestId: item.requestId }, againMs);
}

async function markQueued(
  chain: Asked,
  item: DelayTransaction,
  entry: QueueEntry,
): Promise<(work: Work) => Promise<void>> {
  const lookedAt = await chain.getNow();
  const [block, state, latest] = await Promise.all([
    chain.getBlockAt(entry.blockNumber),
    chain.getDelayState(item.delayAddress),
    chain.getLatest(),
  ]);
  if (block?.hash !== entry.blockHash) throw new ChainUnavailable("The block of an enqueue is not canonical any more");
  const readyAt = new Date((block.timestamp + state.cooldownSeconds) * 1000);
  const expiresAt = new Date(readyAt.getTime() + state.expirationSeconds * 1000);
  // By the chain's clock, which need not be this machine's.
  const cooldownMs = readyAt.getTime() - latest.timestamp * 1000;
  return async (work) => {
    const { tx, now } = work;
    const moved = await moveDelay(tx, item.id, "WAITING", {
      queueNonce: entry.queueNonce,
      enqueuedHash: entry.transactionHash,
      enqueuedBlock: entry.blockNumber,
      readyAt,
      expiresAt,
      updatedAt: now,
    });
    if (!moved) return;
    await restOn(work, entry);
    const { id: delayId, requestId } = moved;
    await enqueue(tx, "delay.dispatch", { delayId, requestId }, cooldownMs - (now.getTime() - lookedAt.getTime()));
  };
}
