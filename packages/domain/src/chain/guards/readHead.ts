/** Guards against a node that lags: it refuses what newer blocks allow, and does not know what they hold. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { readFollowState } from "@cardkeep/db/queries/chain/followState";
import type { Context } from "../../core/context.ts";

type HeadContext = Pick<Context, "chain" | "db" | "policy">;
type Head = Awaited<ReturnType<Context["chain"]["getBlock"]>>;

/** The node lacks a block that was seen, so the work has to begin again later. */
export class NodeBehind extends ChainUnavailable {
  override readonly name = "NodeBehind";
}

/** The newest block of the node, and whether the node lacks a block that was seen before this call. */
export async function readHead({ chain, db, policy }: HeadContext): Promise<{ head: Head; isBehind: boolean }> {
  const { newest } = await readFollowState(db, policy.chainId);
  const head = await chain.getBlock();
  return { head, isBehind: newest !== null && head.number < newest.blockNumber };
}

/**
 * The newest block of a node that has every block that was seen before this call.
 *
 * @param since a further block that it has to have
 * @throws NodeBehind
 */
export async function requireFollowed(ctx: HeadContext, since = 0n): Promise<Head> {
  const { head, isBehind } = await readHead(ctx);
  if (isBehind || head.number < since) throw new NodeBehind("The node lags behind what was seen");
  return head;
}
