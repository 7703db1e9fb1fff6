/** Records what moves from and to Safes on chain, so that statements know every movement of theirs. */
import { tokenList } from "@cardkeep/chain/tokens";
import { listTransfersOf, transferTopic } from "@cardkeep/chain/transfers";
import type { Address } from "@cardkeep/contract/core/primitives";
import { findSafesAmong, insertMovements, type Movement } from "@cardkeep/db/queries/accounts/movements";
import { listSafesOfUnknown } from "@cardkeep/db/queries/spending/transfers";
import { enqueueAll } from "@cardkeep/db/queue/enqueue";
import { findStatedAt } from "../../core/calendar.ts";
import { type Work, type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { type CheckRange, findCheckBlocks } from "../integrity/followEntries.ts";

type Found = Omit<Movement, "statedAt" | "createdAt">;

/** Reads the movements in the blocks of the next check, and returns the writes. */
export async function followMovements(ctx: WorkerContext, range: CheckRange): Promise<WriteStep> {
  if (range.checked >= range.head.number) return writeNothing;
  const addresses = tokenList.map((token) => token.address);
  const blocks = findCheckBlocks(range);
  const found = await readMovements(ctx, await ctx.chain.getLogs({ addresses, topics: [transferTopic], ...blocks }));
  if (found.length === 0) return writeNothing;
  const { statementTimeZone } = ctx.policy;
  return async (work) => {
    const { tx, now } = work;
    await insertMovements(
      tx,
      found.map((each) => ({ ...each, statedAt: findStatedAt(each.at, now, statementTimeZone), createdAt: now })),
    );
    await enqueueLateSpends(ctx, work, found);
  };
}

/** Has the spends of each Safe looked at whose money reached the settlement account in a transaction that no transfer names. */
async function enqueueLateSpends(
  { policy }: WorkerContext,
  { tx, requestId }: Work,
  found: readonly Found[],
): Promise<void> {
  const spent = found.filter(({ amount, party }) => amount < 0n && party === policy.settlementAddress);
  if (spent.length === 0) return;
  const safeIds = await listSafesOfUnknown(
    tx,
    spent.map(({ hash, safeId }) => ({ hash, safeId })),
  );
  await enqueueAll(
    tx,
    "card.lateSpends",
    safeIds.map((safeId) => ({ payload: { safeId, requestId } })),
  );
}

/** The transfers in some logs that are from or to a Safe; one between two Safes counts for both. */
async function readMovements(ctx: WorkerContext, logs: Parameters<typeof listTransfersOf>[0]): Promise<Found[]> {
  const transfers = listTransfersOf(logs).filter(({ amount, from, to }) => amount > 0n && from !== to);
  const safes = await findSafesAmong(ctx.db, [...new Set(transfers.flatMap(({ from, to }) => [from, to]))]);
  const found = transfers.flatMap(({ from, to, amount, log }) => {
    const build = (own: Address, party: Address, signed: bigint) => {
      const safeId = safes.get(own);
      return safeId === undefined ? [] : [{ safeId, party, amount: signed, log }];
    };
    return [...build(from, to, -amount), ...build(to, from, amount)];
  });
  const times = new Map<bigint, Date>();
  for (const number of new Set(found.map(({ log }) => log.blockNumber))) {
    const block = await ctx.chain.getBlockAt(number);
    // A node that lags behind: the next look reads these blocks again.
    if (!block) throw new Error(`The node has logs of block ${number}, and not the block`);
    times.set(number, new Date(block.timestamp * 1000));
  }
  return found.flatMap(({ log, ...rest }) => {
    const at = times.get(log.blockNumber);
    const { blockNumber, logIndex, address: token, transactionHash: hash } = log;
    return at ? [{ ...rest, blockNumber, logIndex, token, hash, at }] : [];
  });
}
