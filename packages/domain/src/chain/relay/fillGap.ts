import type { RelayerKey } from "@cardkeep/chain/relayer";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import { findLowestOpenNonce, lockLane } from "@cardkeep/db/queries/chain/relay/lanes";
import { findRelayTransactionAt, insertRelayTransactionIfNew } from "@cardkeep/db/queries/chain/relay/transactions";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { cancellationGas } from "./replaceStuck.ts";

/** A reorganisation that removed another program's transaction may bring it back; a node that is behind catches up. */
const gapMs = 5 * 60_000;

/**
 * Fills the chain's next nonce of a lane where no row has it, by a transfer of 0 to the sender, once the lane's first open
 * transaction has waited for five minutes: nothing behind the nonce can be mined before it.
 *
 * A row has every nonce that this service took, so a gap is of another program's transaction that a reorganisation removed.
 * Where that one is mined after all, the filling one is lost to it.
 */
export async function fillGap(ctx: WorkerContext, { address }: RelayerKey, chainNonce: bigint): Promise<void> {
  const lowestOpen = await findLowestOpenNonce(ctx.db, address);
  if (lowestOpen === null || lowestOpen <= chainNonce) return;
  const waiting = await findRelayTransactionAt(ctx.db, address, lowestOpen);
  if (!waiting || (await ctx.clock.now(ctx.db)).getTime() - waiting.createdAt.getTime() < gapMs) return;
  const id = generateId();
  const isFilling = await ctx.commit(async ({ tx, now, requestId }) => {
    await lockLane(tx, address);
    if (await hasOpenRelayTransaction(tx, address, ["relayer.fill"])) return false;
    const call = { to: address, value: 0n, data: "0x", gasLimit: cancellationGas } as const;
    const subject = { purpose: "relayer.fill", subjectId: address, requestId } as const;
    const row = { id, ...subject, relayer: address, nonce: chainNonce, ...call, status: "SIGNED" } as const;
    if (!(await insertRelayTransactionIfNew(tx, { ...row, createdAt: now, updatedAt: now }, []))) return false;
    await enqueue(tx, "relay.broadcast", { relayTransactionId: id, requestId });
    return true;
  });
  if (isFilling)
    ctx.log.warn(
      { relayTransactionId: id, relayer: address, nonce: Number(chainNonce) },
      "a nonce without a row is filled",
    );
}
