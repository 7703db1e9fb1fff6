import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { findSafe, hasCurrency, lockSafe } from "@cardkeep/db/queries/accounts/safes";
import { addWrittenOff, lockPayment } from "@cardkeep/db/queries/spending/debts";
import { listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { requireTransfers } from "../../chain/guards/restoreGuard.ts";
import type { OperatorContext } from "../../core/context.ts";
import { chainTargetOf, computeWriteOffMax } from "./debtAmounts.ts";
import { readAmount } from "../../core/readAmount.ts";
import { getPayment } from "./getPayment.ts";
import { recordDebt } from "./recordDebt.ts";

/** What was given up of a payment's debt. */
export interface WrittenOffDebt {
  paymentId: string;
  userId: string;
  /** Whole tokens as text. */
  amount: string;
  tokenSymbol: string;
}

/**
 * Gives up what a payment owes, or a part of it: the operator's loss, booked on an account of its own. The worker collects it no
 * more, and the person's cards work again once nothing else is owed.
 *
 * What a collection under way brings is not given up. A later refund reduces the loss first: see `computeWrittenOff`.
 *
 * @param amount whole tokens, such as `12.50`
 * @throws transactions.not_found, debts.none, debts.amount, operators.reason_required, operators.approval_needed
 */
export async function writeOffDebt(
  ctx: OperatorContext,
  { reference, amount: given }: { reference: string; amount: string },
): Promise<WrittenOffDebt> {
  if (ctx.reason === null) fail("operators.reason_required");
  const known = await getPayment(ctx, reference);
  const subject = { kind: "payment", id: known.id } as const;
  const safe = (await findSafe(ctx.db, known.safeId)) ?? fail("transactions.not_found");
  if (!hasCurrency(safe)) return fail("debts.none");
  const token = tokens[safe.tokenSymbol];
  const amount = readAmount(given, token, "debts.amount");
  if (amount === 0n) fail("debts.amount");
  await requireApproval(ctx, "debts.write-off", {
    input: { reference: known.id, amount: toDecimal(amount, token) },
    subject,
  });
  await requireTransfers(ctx, () => known.threadId);
  return ctx.act("debts.write-off", async (work) => {
    await lockSafe(work.tx, safe.id);
    const payment = (await lockPayment(work.tx, known)) ?? fail("transactions.not_found");
    const { id: paymentId, userId } = payment;
    const transfers = await listTransfers(work.tx, userId, [paymentId]);
    const most = computeWriteOffMax(chainTargetOf(payment, transfers), transfers);
    if (most === 0n) fail("debts.none");
    if (amount > most)
      fail("debts.amount", {
        text: `At most ${toDecimal(most, token)} ${token.symbol} of this payment can be written off`,
      });
    await addWrittenOff(work.tx, payment, amount);
    await recordDebt(work, payment);
    const output = { paymentId, userId, amount: toDecimal(amount, token), tokenSymbol: token.symbol };
    const before = { owed: toDecimal(most, token), token: token.symbol };
    const after = { owed: toDecimal(most - amount, token), writtenOff: output.amount };
    return { output, subject, before, after };
  });
}
