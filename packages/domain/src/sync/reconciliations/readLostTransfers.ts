/** Transfers of card money on chain without a row, found by the token's own logs. */
import { buildSettlementTopics, findReturnTag, findSpendSalt, nameTransfer } from "@cardkeep/chain/spending";
import { tokenList } from "@cardkeep/chain/tokens";
import { listTransfersOf } from "@cardkeep/chain/transfers";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { SeenBlock } from "@cardkeep/db/queries/chain/blocks";
import { type CurrencySafe, findSafeByAddress, hasCurrency } from "@cardkeep/db/queries/accounts/safes";
import { listNewestThreads } from "@cardkeep/db/queries/spending/payments";
import { listUnknownHashes } from "@cardkeep/db/queries/spending/transfers";
import { findLoggedCall } from "../../chain/guards/findLoggedCall.ts";
import type { WorkerContext } from "../../core/context.ts";

export interface LostTransfer {
  direction: "spend" | "return";
  ordinal: number;
  /** Whether an operator asked for it. */
  isByHand: boolean;
  amount: bigint;
  hash: Hex;
  block: SeenBlock;
}

/** The lost transfers between one payment and one Safe, in the order of their places. */
export interface LostThread {
  /** From which, or to which, the money moved. */
  safe: CurrencySafe;
  threadId: string;
  transfers: LostTransfer[];
}

/** A payment with more transfers than this is not looked for. */
const ordinalsMax = 32;
const directions = ["spend", "return"] as const;
const kinds = [...directions, "refund"] as const;

/**
 * The transfers since a block without a row, by payment. `kept` names the threads that the issuer has; a transfer
 * of another thread, or of another program, is left out.
 *
 * @throws ChainUnavailable while the node lacks the transaction of a log
 */
export async function readLostTransfers(
  ctx: WorkerContext,
  { fromBlock, kept }: { fromBlock: bigint; kept: readonly string[] },
): Promise<LostThread[]> {
  const lost: LostThread[] = [];
  // Hashed once for all Safes: a restore may name a thousand threads, and thousands of Safes.
  const keptPlaces = namePlaces([...new Set(kept)]);
  const isKept = new Set(kept);
  for (const [address, found] of Map.groupBy(await listUnknown(ctx, fromBlock), ({ safe }) => safe)) {
    const safe = await findSafeByAddress(ctx.db, address);
    if (!safe || !hasCurrency(safe)) continue;
    // Of the user: what comes back of a payment may go to a newer Safe than the one that paid.
    const newest = await listNewestThreads(ctx.db, safe.userId);
    const places = [namePlaces(newest.filter((threadId) => !isKept.has(threadId))), keptPlaces];
    const named = await Promise.all(
      found.map(async (each) => ({ ...each, place: await findPlace(ctx, each, places) })),
    );
    const ours = named.flatMap(({ place, safe: _, ...rest }) => (place ? [{ ...rest, ...place }] : []));
    for (const [threadId, transfers] of Map.groupBy(ours, (each) => each.threadId)) {
      lost.push({ safe, threadId, transfers: transfers.toSorted((a, b) => a.ordinal - b.ordinal) });
    }
  }
  return lost;
}

type Unknown = Omit<LostTransfer, "ordinal" | "isByHand"> & { safe: Address };
type Place = Pick<LostTransfer, "ordinal" | "isByHand"> & { threadId: string };
type Places = ReadonlyMap<Hex, Place>;

async function listUnknown(ctx: WorkerContext, fromBlock: bigint): Promise<Unknown[]> {
  const { number: toBlock } = await ctx.chain.getBlock();
  const settlement = ctx.policy.settlementAddress;
  const addresses = tokenList.map(({ address }) => address);
  const read = async (direction: Unknown["direction"]) => {
    const topics = buildSettlementTopics(settlement, direction);
    const logs = await ctx.chain.getLogs({ addresses, topics, fromBlock, toBlock });
    return listTransfersOf(logs).map(({ from, to, amount, log }) => ({
      direction,
      safe: direction === "spend" ? from : to,
      amount,
      hash: log.transactionHash,
      block: { blockNumber: log.blockNumber, blockHash: log.blockHash },
    }));
  };
  const all = (await Promise.all(directions.map(read))).flat();
  const unknown = new Set(
    await listUnknownHashes(
      ctx.db,
      all.map(({ hash }) => hash),
    ),
  );
  return all.filter(({ hash }) => unknown.has(hash));
}

/** Each name on chain that a transfer of some threads can have. */
function namePlaces(threads: readonly string[]): Places {
  const places = new Map<Hex, Place>();
  for (const threadId of threads) {
    for (let ordinal = 0; ordinal < ordinalsMax; ordinal++) {
      for (const kind of kinds) {
        places.set(nameTransfer(`${kind}:${threadId}:${ordinal}`), { threadId, ordinal, isByHand: kind === "refund" });
      }
    }
  }
  return places;
}

async function findPlace(ctx: WorkerContext, { direction, hash }: Unknown, places: readonly Places[]) {
  const call = await findLoggedCall(ctx, hash);
  const name = call && (direction === "spend" ? findSpendSalt(call.data) : findReturnTag(call.data));
  if (!name) return null;
  return places.map((each) => each.get(name)).find((place) => place !== undefined) ?? null;
}
