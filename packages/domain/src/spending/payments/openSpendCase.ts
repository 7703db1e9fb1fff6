import { accrueAllowance } from "@cardkeep/chain/allowance";
import { tokens } from "@cardkeep/chain/tokens";
import { listViolations } from "@cardkeep/db/queries/accounts/integrity";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { findStandIn } from "@cardkeep/db/queries/spending/standIns";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import { openCase } from "../../core/openCase.ts";
import { type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { addressesOf } from "../../core/safeAccount.ts";
import { baseUnitsToCents } from "../../core/money.ts";
import { formatCents } from "./formatMoney.ts";

/**
 * Answers the case of a spend that fails when it is simulated at the newest block: we approved it, or balance and limit
 * cover it, and the account is as it was set up. So a decision said yes where the chain cannot carry it out. The payment's
 * debt stops the person's cards.
 *
 * A capture beyond what was approved, and the issuer's own decisions, have cases of their own.
 */
export async function readSpendCase(
  ctx: WorkerContext,
  safe: CurrencySafe,
  transfer: CardTransfer,
  reason: string,
): Promise<WriteStep> {
  const token = tokens[safe.tokenSymbol];
  // A changed account runs its owner's code, which need not answer.
  if ((await listViolations(ctx.db, safe.id)).length > 0) return writeNothing;
  const [{ isWhole, balance, allowance, timestamp }, standIn] = await Promise.all([
    ctx.chain.getSpendingState({
      token: token.address,
      addresses: addressesOf(safe),
      cooldownSeconds: safe.cooldownSeconds,
      spender: safe.spender,
      messageHashes: [],
    }),
    findStandIn(ctx.db, transfer.paymentId),
  ]);
  if (!isWhole || allowance === null) return writeNothing;
  const allowed = accrueAllowance(allowance, timestamp);
  const isCovered = transfer.amount <= balance && transfer.amount <= allowed;
  const isApproved = transfer.clearingId === null && !transfer.isCollection && standIn === null;
  if (!isCovered && !isApproved) return writeNothing;
  const { paymentId, userId, amount } = transfer;
  const [amountCents, currency] = [baseUnitsToCents(amount, token), token.fiat];
  const why = isCovered ? "Balance and daily limit cover it" : "The money was there when it was approved";
  return async (work) => {
    await openCase(work, {
      kind: "refused_spend",
      paymentId,
      userId,
      amountCents,
      currency,
      note:
        `The chain refuses to move ${formatCents(amountCents, currency)} for this payment: ${reason}. ${why}. ` +
        "The user owes the amount, and the cards decline until it is collected. Find out why before you close the case.",
    });
  };
}
