import { tokens } from "@cardkeep/chain/tokens";
import { listOpenDelays } from "@cardkeep/db/queries/delays";
import type { UserContext } from "../context.ts";
import { getActiveSafe } from "../safes/account.ts";
import { sumWithdrawals } from "./spendable.ts";

/**
 * Balances of the Safe's token in base units; `total` is always `spendable` plus `pending`.
 *
 * The rows are read before the chain, and the chain tells balance and queue at one block: what the queue has run since
 * is neither in the balance nor pending, so money on its way out is never counted twice, nor as spendable.
 *
 * @throws safes.not_found
 */
export async function balances(ctx: UserContext): Promise<{ total: bigint; spendable: bigint; pending: bigint }> {
  const safe = await getActiveSafe(ctx);
  const token = tokens[safe.tokenSymbol].address;
  const open = await listOpenDelays(ctx.db, safe.id);
  const { balance, txNonce } = await ctx.chain.getFunds({ token, safe: safe.address, delay: safe.delayAddress });
  const hasLeft = (queueNonce: bigint | null) => queueNonce !== null && queueNonce < txNonce;
  const reserved = sumWithdrawals(
    open.filter((row) => !hasLeft(row.queueNonce)),
    token,
  );
  const pending = reserved < balance ? reserved : balance;
  return { total: balance, spendable: balance - pending, pending };
}
