import { type CardTransfer, listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { listDebtsIn, lockPayment, moveSetOff } from "@cardkeep/db/queries/spending/debts";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { Work } from "../../core/context.ts";
import { recordDebt } from "./recordDebt.ts";
import { chainTargetOf, sumTransfers } from "./debtAmounts.ts";

/**
 * Sets what a payment is to return off against its user's debts in the same token, oldest first; answers how much.
 *
 * That money stays at the settlement account. Only money that is there counts: while a transfer of the payment is open,
 * nothing is set off.
 */
export async function setOffReturn(
  work: Work,
  { tokenSymbol }: Pick<CurrencySafe, "tokenSymbol">,
  payment: Pick<CardPayment, "id" | "userId">,
  { amount, transfers }: { amount: bigint; transfers: readonly CardTransfer[] },
): Promise<bigint> {
  if (transfers.some(({ status }) => status === "PLANNED" || status === "SIGNED")) return 0n;
  let left = amount;
  for (const debtId of await listDebtsIn(work.tx, payment.userId, tokenSymbol)) {
    const { userId } = payment;
    const debt = debtId === payment.id ? null : await lockPayment(work.tx, { id: debtId, userId });
    if (!debt || left === 0n) continue;
    // Debts under collection are left out.
    const owing = await listTransfers(work.tx, userId, [debtId]);
    const missing = chainTargetOf(debt, owing) - sumTransfers(owing);
    const part = missing < left ? missing : left;
    if (part <= 0n) continue;
    await moveSetOff(work.tx, { debt, refunded: payment, amount: part });
    await recordDebt(work, debt);
    left -= part;
  }
  return amount - left;
}
