import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { listDebts, lockPayment } from "@cardkeep/db/queries/spending/debts";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { findReturnSafe } from "../../accounts/safes/returnSafe.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { OperatorContext } from "../../core/context.ts";
import { readAmount } from "../../core/readAmount.ts";
import { payRefundRequest } from "./refundRequest.ts";
import { getPayment } from "./getPayment.ts";
import { computeRefundMax } from "./debtAmounts.ts";
import { buildTransfer, computeNextOrdinal, insertPlanned } from "./planTransfer.ts";

/** A refund by hand, on its way to the Safe. */
export interface HandRefund {
  paymentId: string;
  transferId: string;
  /** Whole tokens as text. */
  amount: string;
  tokenSymbol: string;
  safeAddress: string;
}

/**
 * Returns money of a card payment from the settlement account to the Safe that paid it, at the operator's cost: the issuer
 * knows nothing of it. A worker carries it out like every return, and books it when the chain has it.
 *
 * Never more goes back than has left the Safe and was not returned. A user in debt gets nothing by hand: the debt comes
 * first. A later refund by the issuer is paid too, up to what is left: see `chainTargetOf`. Support's request for it closes.
 *
 * @param amount whole tokens, such as `12.50`
 * @throws transactions.not_found, payments.refund_amount, payments.refund_open, payments.refund_debt,
 *   operators.reason_required, operators.approval_needed
 */
export async function refundPayment(
  ctx: OperatorContext,
  { reference, amount: given }: { reference: string; amount: string },
): Promise<HandRefund> {
  const why = ctx.reason ?? fail("operators.reason_required");
  const known = await getPayment(ctx, reference);
  const subject = { kind: "payment", id: known.id } as const;
  const own = (await findSafe(ctx.db, known.safeId)) ?? fail("transactions.not_found");
  if (!hasCurrency(own)) return fail("payments.refund_amount", { text: "The Safe has no token" });
  const token = tokens[own.tokenSymbol];
  const amount = readAmount(given, token, "payments.refund_amount");
  if (amount === 0n) fail("payments.refund_amount");
  await requireApproval(ctx, "payments.refund", {
    input: { reference: known.id, amount: toDecimal(amount, token) },
    subject,
  });
  await requireTransfers(ctx, () => known.threadId);
  return ctx.act("payments.refund", async (work) => {
    await lockSafe(work.tx, own.id);
    const payment = (await lockPayment(work.tx, known)) ?? fail("transactions.not_found");
    if ((await listDebts(work.tx, payment.userId)).length > 0) fail("payments.refund_debt");
    const transfers = await listTransfers(work.tx, payment.userId, [payment.id]);
    const most = computeRefundMax(payment, transfers) ?? fail("payments.refund_open");
    if (amount > most)
      fail("payments.refund_amount", {
        text: `At most ${toDecimal(most, token)} ${token.symbol} of this payment can be returned`,
      });
    // Money goes back to the Safe that it came from, or after its reset to the person's next one.
    const last = transfers.findLast(({ direction, status }) => direction === "spend" && status === "DONE");
    const other = last && last.safeId !== own.id ? await findSafe(work.tx, last.safeId) : null;
    const paid = other && hasCurrency(other) ? other : own;
    const safe = (await findReturnSafe(work.tx, paid)) ?? paid;
    const ordinal = computeNextOrdinal(transfers);
    const kind = { direction: "return", isCollection: false, isByHand: true, clearingId: null } as const;
    const transfer = buildTransfer(ctx, work, safe, payment, { ...kind, amount, ordinal });
    await insertPlanned(work, transfer);
    const refunded = { paymentId: payment.id, transfers, amount, token, by: ctx.actor.name, why };
    const closed = await payRefundRequest(work, refunded);
    const output = {
      paymentId: payment.id,
      transferId: transfer.row.id,
      amount: toDecimal(amount, token),
      tokenSymbol: token.symbol,
      safeAddress: safe.address,
    };
    const before = { returnable: toDecimal(most, token), token: token.symbol };
    const after = {
      returnable: toDecimal(most - amount, token),
      refunded: output.amount,
      transferId: transfer.row.id,
      ...(closed && { closedCaseId: closed.id }),
    };
    return { output, subject, before, after };
  });
}
