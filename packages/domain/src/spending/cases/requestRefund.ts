import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import type { CardCase } from "@cardkeep/db/queries/spending/cases";
import { lockPayment } from "@cardkeep/db/queries/spending/debts";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import type { OperatorContext } from "../../core/context.ts";
import { baseUnitsToCents, centsToBaseUnits } from "../../core/money.ts";
import { openCase } from "../../core/openCase.ts";
import { readAmount } from "../../core/readAmount.ts";
import { formatUnitsShort } from "../../core/wording.ts";
import { computeRefundMax } from "../payments/debtAmounts.ts";
import { formatCents } from "../payments/formatMoney.ts";
import { getPayment } from "../payments/getPayment.ts";
import { describeRefundRequest, findRefundRequest, sumPaidFor } from "../payments/refundRequest.ts";

const describeWaiting = ({ id, amountCents, currency }: CardCase): string =>
  `A request for ${formatCents(amountCents, currency)} of this payment waits for finance: case ${id}. ` +
  "Ask again only for more than that in all";

/**
 * Asks finance for a refund: opens a case with the amount, and moves no money. One request of a payment is open at a time,
 * and a further one has to ask for more.
 *
 * @param amount whole units of the card's currency, such as `12.50`
 * @throws operators.reason_required, transactions.not_found, payments.refund_amount, payments.refund_open,
 *   payments.refund_asked
 */
export async function requestRefund(
  ctx: OperatorContext,
  { reference, amount: given }: { reference: string; amount: string },
): Promise<CardCase> {
  if (ctx.reason === null) fail("operators.reason_required");
  const known = await getPayment(ctx, reference);
  const safe = (await findSafe(ctx.db, known.safeId)) ?? fail("transactions.not_found");
  if (!hasCurrency(safe)) return fail("payments.refund_amount", { text: "The Safe has no token" });
  const token = tokens[safe.tokenSymbol];
  const amount = readAmount(given, token, "payments.refund_amount");
  const amountCents = baseUnitsToCents(amount, token);
  if (centsToBaseUnits(amountCents, token) !== amount)
    fail("payments.refund_amount", { text: "A request is for whole cents, such as 12.50" });
  return ctx.act("payments.request-refund", async (work) => {
    await lockSafe(work.tx, safe.id);
    const payment = (await lockPayment(work.tx, known)) ?? fail("transactions.not_found");
    const transfers = await listTransfers(work.tx, payment.userId, [payment.id]);
    const most = computeRefundMax(payment, transfers) ?? fail("payments.refund_open");
    const waiting = await findRefundRequest(work.tx, payment.id);
    const paid = waiting === null ? 0n : await sumPaidFor(work.tx, waiting, transfers);
    if (amount <= 0n || amount > most + paid)
      fail("payments.refund_amount", {
        text: `At most ${formatUnitsShort(most + paid, token.decimals)} ${token.symbol} of this payment can be returned`,
      });
    const output =
      (await openCase(work, {
        kind: "refund_request",
        userId: payment.userId,
        paymentId: payment.id,
        amountCents,
        currency: payment.billingCurrency,
        note: describeRefundRequest(token, { asked: amount, paid }),
      })) ?? fail("payments.refund_asked", waiting === null ? {} : { text: describeWaiting(waiting) });
    return {
      output,
      subject: { kind: "payment", id: payment.id },
      before: { returnable: toDecimal(most, token), token: token.symbol },
      after: { caseId: output.id, asked: toDecimal(amount, token) },
    };
  });
}
