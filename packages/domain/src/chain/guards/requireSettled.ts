import { ChainUnavailable } from "@cardkeep/chain/errors";
import { hourMs } from "@cardkeep/contract/core/durations";
import type { Address } from "@cardkeep/contract/core/primitives";
import { findNextNonce } from "@cardkeep/db/queries/chain/relay/lanes";
import { hasRestoredSince } from "@cardkeep/db/queries/sync/reconciliations";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import type { RelayPurpose } from "@cardkeep/db/schema/chain/relayers";
import type { Context } from "../../core/context.ts";

/** A transaction of ours may still be mined, so the work has to begin again later. */
class StillOpen extends ChainUnavailable {
  override readonly name = "StillOpen";
}

/**
 * The chain would move this money again. So it is looked for there, and signed anew, only once no earlier transaction can be
 * mined. A reorganisation opens those again that ran in vain.
 *
 * @throws StillOpen while one is open
 */
export async function requireSettled(
  { db }: Pick<Context, "db">,
  subjectId: string,
  purpose: RelayPurpose,
): Promise<void> {
  if (await hasOpenRelayTransaction(db, subjectId, [purpose]))
    throw new StillOpen(`A transaction for ${purpose} ${subjectId} may still be mined`);
}

/** For so long after a restore the node is asked what it holds of a sender. Later that counts as another program's. */
const heldMs = hourMs;

/**
 * After a restore the node may hold a transfer that no row has. Another one would take its nonce, and the same one the next
 * nonce: then both are mined. So none is signed before what the node holds beyond the lane is mined, or dropped.
 *
 * It is asked before the transfer is looked for on chain: what is mined in between is found there.
 *
 * @throws StillOpen
 */
export async function requireNothingHeld(
  { chain, clock, db }: Pick<Context, "chain" | "clock" | "db">,
  sender: Address,
): Promise<void> {
  const since = new Date((await clock.now(db)).getTime() - heldMs);
  if (!(await hasRestoredSince(db, since))) return;
  const [pending, mined, next] = await Promise.all([
    chain.getTransactionCount(sender, "pending"),
    chain.getTransactionCount(sender, "latest"),
    findNextNonce(db, sender),
  ]);
  if (pending > mined && BigInt(pending) > next)
    throw new StillOpen(`The node holds transactions of ${sender} that no row has: they may still be mined`);
}
