import { buildTransfer, isTransferred } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/errors";
import { type Address, nativeToken } from "@cardkeep/contract/primitives";
import { listOpenDelays } from "@cardkeep/db/queries/delays";
import type { UserContext } from "../context.ts";
import { rehearse } from "../delays/rehearse.ts";
import { buildDelayedTransaction, type DelayedTransaction } from "../delays/resource.ts";
import { accept, type Authorization, authorize, type Operation } from "../delays/submit.ts";
import { getActiveSafe } from "../safes/account.ts";
import { sumWithdrawals } from "./spendable.ts";

export interface Transfer {
  amount: bigint;
  to: Address;
  tokenAddress: Address;
}

export const buildWithdrawal = ({ amount, to, tokenAddress }: Transfer): Operation => ({
  kind: "withdrawal",
  call: buildTransfer({ token: tokenAddress, to, amount }),
  operation: "CALL",
  tokenAddress,
  amount,
});

/**
 * Accepts a withdrawal that an owner of the user's Safe signed; it executes after the cooldown.
 *
 * @throws safes.not_found, delays.message_mismatch, delays.invalid_signature, delays.already_submitted,
 *   accounts.insufficient_balance, accounts.transfer_refused, delays.quota_exceeded
 */
export async function withdraw(
  ctx: UserContext,
  input: Transfer & Authorization,
): Promise<{ data: DelayedTransaction }> {
  const safe = await getActiveSafe(ctx);
  const operation = buildWithdrawal(input);
  const authorized = await authorize(ctx, safe, operation, input);

  // Withdrawals open before or after the balance was read both count: one that executes in between is in neither alone.
  const openBefore = await listOpenDelays(ctx.db, safe.id);
  const balance = await ctx.chain.getTokenBalance(input.tokenAddress, safe.address);
  const requireBalance = (open: typeof openBefore) => {
    if (balance - sumWithdrawals(open, input.tokenAddress) < input.amount) fail("accounts.insufficient_balance");
  };
  requireBalance(openBefore);
  const answer = await rehearse(ctx, safe, operation, "accounts.transfer_refused");
  if (input.tokenAddress !== nativeToken && !isTransferred(answer)) fail("accounts.transfer_refused");

  return ctx.commit(async (work) => {
    const row = await accept(ctx, work, safe, operation, authorized, async () =>
      requireBalance([...openBefore, ...(await listOpenDelays(work.tx, safe.id))]),
    );
    return { data: buildDelayedTransaction(row, safe.address, "json") };
  });
}
