import { addMessage } from "@cardkeep/db/queries/users/messages";
import { generateId } from "../../core/generateId.ts";
import type { ModuleTypedData } from "@cardkeep/chain/delay";
import { isDestination } from "@cardkeep/chain/owners";
import { buildTransfer, isTransferred, tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { type Address, nativeToken } from "@cardkeep/contract/core/primitives";
import type { OpenDelay } from "@cardkeep/db/queries/accounts/delays/submissionFacts";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Hold } from "@cardkeep/db/queries/spending/liveTransfers";
import { hashesOf, sumHeld, sumWithdrawals } from "../balances/holds.ts";
import { type Commit, reply, type UserContext } from "../../core/context.ts";
import { buildTypedData, rehearse } from "../delays/rehearse.ts";
import { buildDelayedTransaction, type DelayedTransaction } from "../delays/delayedTransaction.ts";
import {
  acceptOperation,
  type DelayedOperation,
  type OperationSignature,
  verifySignedOperation,
} from "../delays/delayedOperation.ts";
import { addressesOf, getActiveSafe } from "../../core/safeAccount.ts";

export interface Transfer {
  amount: bigint;
  to: Address;
  tokenAddress: Address;
}

const buildWithdrawal = ({ amount, to, tokenAddress }: Transfer): DelayedOperation => ({
  kind: "withdrawal",
  call: buildTransfer({ token: tokenAddress, to, amount }),
  operation: "CALL",
  tokenAddress,
  amount,
});

/** Refuses addresses where money would be lost or would not leave the account. @throws accounts.unsuitable_destination */
function requireDestination(safe: Safe, { to }: Transfer): void {
  if (!isDestination(to, addressesOf(safe))) fail("accounts.unsuitable_destination");
}

/**
 * Accepts a withdrawal that an owner of the user's Safe signed; it executes after the cooldown.
 *
 * @throws safes.not_found, accounts.unsuitable_destination, delays.message_mismatch, delays.invalid_signature,
 *   delays.signer_leaving, delays.already_submitted, accounts.insufficient_balance, accounts.transfer_refused, delays.quota_exceeded,
 *   accounts.withdrawals_stopped
 */
export async function withdraw(
  ctx: UserContext,
  input: Transfer & OperationSignature,
): Promise<Commit<{ data: DelayedTransaction }>> {
  const safe = await getActiveSafe(ctx);
  requireDestination(safe, input);
  const operation = buildWithdrawal(input);
  const { tokenAddress: token } = input;
  const { address, rolesAddress: roles, spender } = safe;
  const authorized = await verifySignedOperation(ctx, safe, operation, input, ({ holds }) =>
    token === tokens[safe.tokenSymbol].address
      ? { token, safe: address, roles, spender, messageHashes: hashesOf(holds) }
      : null,
  );

  const { restored } = authorized;
  // Clients parse the data of a withdrawal as JSON, whichever form the settings give the lists.
  if (restored) return reply({ data: buildDelayedTransaction(restored, address, "json") });

  // Withdrawals open before or after the balance was read both count: one that executes in between is in neither alone.
  const { facts: before, funds } = authorized;
  const balance = funds?.balance ?? (await ctx.chain.getTokenBalance(token, address));
  const requireBalance = (open: readonly OpenDelay[], holds: readonly Hold[]) => {
    // Card payments take of the Safe's own token alone.
    const held = funds ? sumHeld(before.holds, funds.hasRun, holds) : 0n;
    if (balance - sumWithdrawals(open, token) - held < input.amount) fail("accounts.insufficient_balance");
  };
  requireBalance(before.open, before.holds);
  // Any ERC-20 is a token here; of those that the service does not know, only one with a balance is known to be one.
  if (input.to === token) fail("accounts.unsuitable_destination");
  const answer = await rehearse(ctx, safe, operation, "accounts.transfer_refused");
  if (token !== nativeToken && !isTransferred(answer)) fail("accounts.transfer_refused");

  return async (work) => {
    const row = await acceptOperation(ctx, work, safe, operation, authorized, ({ open, holds }) =>
      requireBalance([...before.open, ...open], holds),
    );
    const { id: subjectId, userId, requestId, createdAt } = row;
    const message = { id: generateId(), userId, kind: "withdrawals", about: "withdrawal", subjectId } as const;
    await addMessage(work.tx, { ...message, requestId, createdAt });
    return { data: buildDelayedTransaction(row, address, "json") };
  };
}

/** The typed data whose signature authorises exactly this withdrawal, once. @throws safes.not_found, accounts.unsuitable_destination */
export async function getWithdrawalData(ctx: UserContext, input: Transfer): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  requireDestination(safe, input);
  return { data: buildTypedData(ctx, safe, buildWithdrawal(input)) };
}
