import { buildApprovalTopics, isApproval } from "@cardkeep/chain/approvalLogs";
import { tokenList } from "@cardkeep/chain/tokens";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Context } from "../../core/context.ts";
import { findBlocks, type Span } from "./sinceOpened.ts";

/**
 * Whether a Safe let another account move a token that accounts can use, in the blocks of a span.
 *
 * Before the set-up the owner's key signs for the Safe (ERC-1271), and a token takes that for an approval without a
 * transaction of the Safe. One is enough: it may still stand in part. The address is random until the Safe has its row, and no
 * earlier signature is valid after the set-up, because the Safe has another owner.
 *
 * @throws ChainUnavailable, also while the node is behind the last of them
 */
export async function hasApprovedBefore(
  ctx: Pick<Context, "chain">,
  { address, createdAt }: Pick<Safe, "address" | "createdAt">,
  span: Span = {},
): Promise<boolean> {
  const blocks = await findBlocks(ctx, createdAt, span);
  const addresses = tokenList.map((token) => token.address);
  const logs = await ctx.chain.getLogs({ addresses, topics: buildApprovalTopics(address), ...blocks });
  return logs.some(isApproval);
}
