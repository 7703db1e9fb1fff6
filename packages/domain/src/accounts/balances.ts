import { tokens } from "@cardkeep/chain/tokens";
import { listOpenDelays } from "@cardkeep/db/queries/delays";
import type { UserContext } from "../context.ts";
import { getActiveSafe } from "../safes/account.ts";
import { sumWithdrawals } from "./spendable.ts";

/**
 * Balances of the Safe's token in base units; `total` is always `spendable` plus `pending`.
 *
 * @throws safes.not_found
 */
export async function balances(ctx: UserContext): Promise<{ total: bigint; spendable: bigint; pending: bigint }> {
  const safe = await getActiveSafe(ctx);
  const token = tokens[safe.tokenSymbol].address;
  const total = await ctx.chain.getTokenBalance(token, safe.address);
  const reserved = sumWithdrawals(await listOpenDelays(ctx.db, safe.id), token);
  const pending = reserved < total ? reserved : total;
  return { total, spendable: total - pending, pending };
}
