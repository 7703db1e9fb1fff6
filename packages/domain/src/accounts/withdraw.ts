import { buildTransfer, isTransferred, tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/errors";
import { type Address, nativeToken } from "@cardkeep/contract/primitives";
import type { Executor } from "@cardkeep/db/client";
import { listOpenDelays } from "@cardkeep/db/queries/delays";
import type { CurrencySafe } from "@cardkeep/db/queries/safes";
import { findLastTransfer, listHolds } from "@cardkeep/db/queries/spending";
import type { UserContext } from "../context.ts";
import { rehearse } from "../delays/rehearse.ts";
import { buildDelayedTransaction, type DelayedTransaction } from "../delays/resource.ts";
import { accept, type Authorization, authorize, type Operation } from "../delays/submit.ts";
import { addressesOf, getActiveSafe } from "../safes/account.ts";
import { hashesOf, sumHeld } from "../transactions/holds.ts";
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
  const funds = await readFunds(ctx, safe, input.tokenAddress);
  const requireBalance = (open: typeof openBefore, held: bigint) => {
    const reserved = sumWithdrawals(open, input.tokenAddress) + held;
    if (funds.balance - reserved < input.amount) fail("accounts.insufficient_balance");
  };
  requireBalance(openBefore, await funds.sumHeld(ctx.db));
  const answer = await rehearse(ctx, safe, operation, "accounts.transfer_refused");
  if (input.tokenAddress !== nativeToken && !isTransferred(answer)) fail("accounts.transfer_refused");

  return ctx.commit(async (work) => {
    const row = await accept(ctx, work, safe, operation, authorized, async () =>
      requireBalance([...openBefore, ...(await listOpenDelays(work.tx, safe.id))], await funds.sumHeld(work.tx)),
    );
    return { data: buildDelayedTransaction(row, safe.address, "json") };
  });
}

/** What the Safe holds of a token, and of it, whenever asked, what card payments are to take that had not when it was read. */
async function readFunds(
  ctx: UserContext,
  safe: CurrencySafe,
  token: Address,
): Promise<{ balance: bigint; sumHeld(on: Executor): Promise<bigint> }> {
  if (token !== tokens[safe.tokenSymbol].address) {
    return { balance: await ctx.chain.getTokenBalance(token, safe.address), sumHeld: async () => 0n };
  }
  const last = await findLastTransfer(ctx.db, safe.id);
  const holds = await listHolds(ctx.db, safe.id);
  const { balance, hasRun } = await ctx.chain.getSpendingState({
    token,
    addresses: addressesOf(safe),
    cooldownSeconds: safe.cooldownSeconds,
    spender: ctx.rules.spenderAddress,
    messageHashes: hashesOf(holds),
  });
  return { balance, sumHeld: async (on) => sumHeld(holds, hasRun, await listHolds(on, safe.id, last)) };
}
