import type { RelayerKey } from "@cardkeep/chain/relayer";
import type { Address } from "@cardkeep/contract/core/primitives";
import { findLowestOpenNonce, lockLane } from "@cardkeep/db/queries/chain/relay/lanes";
import { findRelayTransactionAt, insertRelayTransactionIfNew } from "@cardkeep/db/queries/chain/relay/transactions";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Work, WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { countOnChain } from "./countMined.ts";
import { cancellationGas } from "./replaceStuck.ts";
import { laneDepthMax } from "./signRelayTransaction.ts";

/** A reorganisation that removed another program's transaction may bring it back; a node that is behind catches up. */
const gapMs = 5 * 60_000;

/**
 * Fills the nonces of a lane that no row has, up to 50 at once, each by a transfer of 0 to the sender, once the lane's first
 * open transaction has waited for five minutes: nothing behind them can be mined before.
 *
 * A row has every nonce that this service took, so a gap is of another program's transactions that a reorganisation removed,
 * or of a lane that followed a wrong count. Where another program's is mined after all, the filling one is lost to it.
 */
export async function fillGap(ctx: WorkerContext, { address }: RelayerKey, counted: bigint): Promise<void> {
  const lowestOpen = await findLowestOpenNonce(ctx.db, address);
  if (lowestOpen === null || lowestOpen <= counted) return;
  const waiting = await findRelayTransactionAt(ctx.db, address, lowestOpen);
  if (!waiting || (await ctx.clock.now(ctx.db)).getTime() - waiting.createdAt.getTime() < gapMs) return;
  // A count that is too low would have nonces filled that the chain has.
  const chainNonce = await countOnChain(ctx, address);
  const length = Math.min(Number(lowestOpen - chainNonce), laneDepthMax);
  const nonces = Array.from({ length: Math.max(0, length) }, (_, index) => chainNonce + BigInt(index));
  const filled = await ctx.commit(async (work) => {
    await lockLane(work.tx, address);
    const isFilled: boolean[] = [];
    for (const nonce of nonces) isFilled.push(await fill(work, address, nonce));
    return nonces.filter((_, index) => isFilled[index]);
  });
  if (filled.length > 0)
    ctx.log.warn({ relayer: address, nonces: filled.map(Number) }, "nonces without a row are filled");
}

/** Reserves a nonce for a transfer that fills it; false where a row has it. */
async function fill({ tx, now, requestId }: Work, relayer: Address, nonce: bigint): Promise<boolean> {
  const id = generateId();
  const call = { to: relayer, value: 0n, data: "0x", gasLimit: cancellationGas } as const;
  // A subject has one open transaction.
  const subject = { purpose: "relayer.fill", subjectId: `${relayer}:${nonce}`, requestId } as const;
  const row = { id, ...subject, relayer, nonce, ...call, status: "SIGNED", createdAt: now, updatedAt: now } as const;
  if (!(await insertRelayTransactionIfNew(tx, row, []))) return false;
  await enqueue(tx, "relay.broadcast", { relayTransactionId: id, requestId });
  return true;
}
