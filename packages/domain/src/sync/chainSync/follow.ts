/**
 * Follows the chain's head: has transactions looked at once the chain counts them, and notices when blocks that were built
 * upon are not part of it any more. Queue entries of our accounts are checked as they come.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import {
  deleteSeenBlocks,
  insertChainCursor,
  listFollowedBlocks,
  type SeenBlock,
} from "@cardkeep/db/queries/chain/blocks";
import { type FollowState, readFollowState } from "@cardkeep/db/queries/chain/followState";
import { listDebtors } from "@cardkeep/db/queries/spending/debts";
import { enqueue, enqueueAll } from "@cardkeep/db/queue/enqueue";
import { findRelayTransactionAt } from "@cardkeep/db/queries/chain/relay/transactions";
import { confirmUpTo, listOpenLanes } from "@cardkeep/db/queries/chain/relay/lanes";
import { listParties, transferTopic } from "@cardkeep/chain/transfers";
import { tokenList } from "@cardkeep/chain/tokens";
import { isRemoved } from "../../chain/guards/isRemoved.ts";
import { countOnChain } from "../../chain/relay/countMined.ts";
import { beginChainGuard, rememberedBlocks, restOnAll } from "../../chain/guards/reorgGuard.ts";
import { ChainReorganised } from "../../core/commitEnd.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { followEntries } from "../../accounts/integrity/followEntries.ts";
import { enqueueBalanceChecks } from "../../accounts/balances/publishBalance.ts";
import { followMovements } from "../../accounts/movements/followMovements.ts";
import { waitForBlock } from "./waitForBlock.ts";
import { rollBack } from "./rollBack.ts";

const everyMs = 1_000;
/** Of a longer gap, as after a stop, only the newest blocks are remembered one by one. */
const gapMax = 32n;
/** Nodes refuse questions about more blocks at once; an hour and a half on Gnosis Chain. */
const transferBlocksMax = 1_000n;
/** A node that lags behind counts fewer transactions, but not for this long. */
const laggingMsMax = 15_000;

/**
 * Reads the head once, and rolls back rows that rest on removed blocks. Runs again within a second, and while a transaction
 * of ours waits to be mined, as soon as there is a new block.
 */
export async function follow(ctx: WorkerContext): Promise<void> {
  const payload = { chainId: String(ctx.policy.chainId), requestId: ctx.requestId };
  const guard = await beginChainGuard(ctx);
  const lanes = await readLanes(ctx);
  const head = await ctx.chain.getBlock();
  // After the head, so that a subscription of this moment hears of every block after it.
  const state = await readFollowState(ctx.db, ctx.policy.chainId);
  if (lanes.length === 0 && isFollowed(state, head)) return enqueue(ctx.db, "chain.follow", payload, everyMs);
  await insertChainCursor(ctx.db, ctx.policy.chainId);
  const followed = await listFollowed(ctx, state, head);
  const fork = (await findFork(ctx, { ...state, followed }, head)) ?? (await findUnminedBlock(ctx, lanes, state, head));
  if (fork !== null) ctx.log.warn({ after: Number(fork), head: Number(head.number) }, "the chain reorganised");
  const since = fork ?? followed[0]?.blockNumber ?? head.number - 1n;
  const searchedTo = fork ?? findSearchedBlock(state, since);
  const parties = state.needsTransfers ? await listPartiesSince(ctx, searchedTo, head) : [];
  const base = [...state.unfollowed, ...followed].find(({ blockNumber }) => blockNumber === since) ?? null;
  const fresh = await readBlocks(ctx, { since, base }, head);
  const range = { checked: state.checkedBlock ?? head.number, head };
  // In the same blocks, so that one cursor counts for both.
  const [checkEntries, recordMovements] = await Promise.all([followEntries(ctx, range), followMovements(ctx, range)]);
  const write = async (work: Work): Promise<void> => {
    if (fork !== null) {
      await rollBack(work, { chainId: ctx.policy.chainId, after: fork });
      await deleteSeenBlocks(work.tx, fork);
    } else {
      await checkEntries(work);
      await recordMovements(work);
    }
    for (const { relayer, count } of lanes) {
      // Where a new block left the next one out, the node may have lost it.
      await confirmUpTo(work.tx, { relayer, nonce: fresh.length > 0 ? count : count - 1n });
    }
    // Logs that a reorganisation removed cannot be read, so every published balance is checked again.
    if (fork !== null || parties === null) await enqueue(work.tx, "balances.check", payload);
    if (parties !== null && parties.length > 0) {
      await enqueueBalanceChecks(work, { addresses: parties });
      const debtors = await listDebtors(work.tx, parties);
      const { requestId } = work;
      await enqueueAll(
        work.tx,
        "card.collect",
        debtors.map((userId) => ({ payload: { userId, requestId } })),
      );
    }
    if (fresh.length > 0) restOnAll(work, fresh, head.number - rememberedBlocks);
    await enqueue(work.tx, "chain.follow", payload, everyMs);
  };
  await ctx.commit(guard(write, fork !== null));
  if (lanes.length > 0) await waitForBlock(ctx, head);
}

/** Whether an earlier look recorded this very head, and checked the queue entries up to it. */
const isFollowed = ({ newest, unfollowed, checkedBlock }: FollowState, head: Head): boolean =>
  newest?.blockHash === head.hash && unfollowed.length === 0 && (checkedBlock === null || checkedBlock >= head.number);

/**
 * The block up to which earlier looks read the logs. A job that settles may have recorded a newer block before any look
 * reached it. The first reading of an account's history may be far behind; it finds no new movements.
 */
function findSearchedBlock({ checkedBlock }: FollowState, newest: bigint): bigint {
  return checkedBlock !== null && checkedBlock < newest && newest - checkedBlock <= rememberedBlocks
    ? checkedBlock
    : newest;
}

/**
 * Addresses whose money moved after a block, in one request for all tokens; null after a gap that is too long for one
 * request.
 */
async function listPartiesSince(ctx: WorkerContext, after: bigint, head: Head): Promise<Address[] | null> {
  const { number: toBlock, hash: toHash } = head;
  if (toBlock <= after) return [];
  if (toBlock - after > transferBlocksMax) return null;
  const addresses = tokenList.map((token) => token.address);
  return listParties(
    await ctx.chain.getLogs({ addresses, topics: [transferTopic], fromBlock: after + 1n, toBlock, toHash }),
  );
}

interface Lane {
  relayer: Address;
  /** Lowest nonce of ours that is not known to be mined. */
  lowestOpen: bigint;
  /** Transactions of this sender that the chain has mined. */
  count: bigint;
}

/** The lanes with something under way, also those of keys that no setting names any more. */
async function readLanes(ctx: WorkerContext): Promise<Lane[]> {
  const lanes = await listOpenLanes(ctx.db);
  return Promise.all(
    lanes.map(async (lane) => ({
      ...lane,
      count: BigInt(await ctx.chain.getTransactionCount(lane.relayer, "latest")),
    })),
  );
}

type Head = Awaited<ReturnType<WorkerContext["chain"]["getBlock"]>>;

/** Whether a seen block is the head, or the head is built upon it. */
const isUnder = (head: Head, { blockNumber, blockHash }: SeenBlock): boolean =>
  (blockNumber === head.number && blockHash === head.hash) ||
  (blockNumber === head.number - 1n && blockHash === head.parentHash);

/** The followed blocks up to the head, newest first; only the newest where the head rests on it, because then all stand. */
async function listFollowed(ctx: WorkerContext, { followed }: FollowState, head: Head): Promise<readonly SeenBlock[]> {
  if (followed !== null && isUnder(head, followed)) return [followed];
  return followed === null ? [] : listFollowedBlocks(ctx.db, head.number);
}

/**
 * The newest seen block that stands below all removed ones; null while all stand. A followed block that stands proves those below it.
 * One that only a job recorded does not: the branch may have changed before it was mined.
 */
async function findFork(
  ctx: WorkerContext,
  { followed, unfollowed }: { followed: readonly SeenBlock[]; unfollowed: readonly SeenBlock[] },
  head: Head,
): Promise<bigint | null> {
  const known = unfollowed.filter(({ blockNumber }) => blockNumber <= head.number);
  const fates = await Promise.all(known.map((block) => findFate(ctx, head, block)));
  const lowest = fates.lastIndexOf("removed");
  let isBroken = lowest !== -1;
  let standing = known.find((_, index) => index > lowest && fates[index] === "stands") ?? null;
  for (const block of followed) {
    const fate = await findFate(ctx, head, block);
    if (fate === "stands") return isBroken ? (standing ?? block).blockNumber : null;
    if (fate === "removed") [isBroken, standing] = [true, null];
  }
  const oldest = followed.at(-1) ?? known.at(-1);
  return isBroken && oldest ? (standing?.blockNumber ?? oldest.blockNumber - 1n) : null;
}

/** What became of a seen block. A node that lags behind does not know it yet, which says nothing. */
async function findFate(ctx: WorkerContext, head: Head, seen: SeenBlock): Promise<"stands" | "removed" | "unknown"> {
  if (isUnder(head, seen)) return "stands";
  const block = await ctx.chain.getBlockAt(seen.blockNumber);
  if (!block) return "unknown";
  return block.hash === seen.blockHash ? "stands" : "removed";
}

/**
 * The block before a settled transaction that the chain does not count among its sender's; null where there is none, and
 * where the node is behind what was seen, or still has the receipt.
 *
 * Blocks may look as they were while what was in them is not: every later transaction of that relayer would wait for ever.
 */
async function findUnminedBlock(
  ctx: WorkerContext,
  lanes: readonly Lane[],
  { newest }: FollowState,
  head: Head,
): Promise<bigint | null> {
  if (lanes.length === 0 || (newest !== null && head.number < newest.blockNumber)) return null;
  const settledBefore = (await ctx.clock.now(ctx.db)).getTime() - laggingMsMax;
  const blocks: bigint[] = [];
  for (const { relayer, lowestOpen, count } of lanes) {
    const settled = count < lowestOpen ? await findRelayTransactionAt(ctx.db, relayer, count) : null;
    if (settled?.blockNumber == null || settled.updatedAt.getTime() > settledBefore) continue;
    const { blockNumber, minedHash, lostToHash } = settled;
    const hash = minedHash ?? lostToHash;
    // What used a nonce so long ago that its block was not read has no name, and can be asked for by none.
    if (hash === null || !(await isRemoved(ctx, { hash, blockNumber }))) continue;
    // The count was perhaps of a node that lags beside the one that named the head.
    if ((await countOnChain(ctx, relayer)) > count) continue;
    ctx.log.warn({ relayer, nonce: String(count) }, "the chain does not count a transaction that was mined");
    blocks.push(blockNumber - 1n);
  }
  return blocks.reduce<bigint | null>((least, block) => (least === null || block < least ? block : least), null);
}

/** The blocks after one up to the head, each built upon the one before. @throws ChainReorganised where nodes answered of two branches */
async function readBlocks(
  ctx: WorkerContext,
  { since, base }: { since: bigint; base: SeenBlock | null },
  head: Head,
): Promise<SeenBlock[]> {
  if (head.number <= since) return [];
  const first = head.number - since > gapMax ? head.number - gapMax : since + 1n;
  const numbers = Array.from({ length: Math.max(0, Number(head.number - first)) }, (_, index) => first + BigInt(index));
  const between = await Promise.all(numbers.map((number) => ctx.chain.getBlockAt(number)));
  const fresh: SeenBlock[] = [];
  let below = base;
  for (const block of [...between, head]) {
    if (!block) continue;
    const { number: blockNumber, hash: blockHash, parentHash } = block;
    if (below?.blockNumber === blockNumber - 1n && below.blockHash !== parentHash)
      throw new ChainReorganised("The nodes answered of two branches");
    below = { blockNumber, blockHash };
    fresh.push(below);
  }
  return fresh;
}
