import { tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { lockPayment } from "@cardkeep/db/queries/spending/debts";
import { type CardDispute, setCredit } from "@cardkeep/db/queries/spending/disputes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { Context, Work } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { greatest } from "../payments/compareAmounts.ts";
import { planTransfer } from "../payments/planTransfer.ts";
import { recordDebt } from "../payments/recordDebt.ts";
import { computeCredit } from "./deriveDispute.ts";

/**
 * Plans what a dispute's credit changes, behind the Safe's lock: what the network's decision returns, or the law. What the Safe
 * cannot give back becomes a debt and a case: see `recordDebt`.
 */
export async function applyCredit(
  ctx: Pick<Context, "policy">,
  work: Work,
  safe: CurrencySafe,
  dispute: CardDispute,
  key: Pick<CardPayment, "id" | "userId">,
): Promise<CardPayment> {
  const payment = await lockPayment(work.tx, key);
  if (!payment) throw new Error(`Payment ${key.id} has no row`);
  const { status, amountCents, reinstatedCents, creditCents } = dispute;
  const decided = computeCredit(ctx.policy, { status, amountCents: amountCents ?? 0n, reinstatedCents });
  const credit = centsToBaseUnits(greatest(decided, creditCents), tokens[safe.tokenSymbol]);
  if (credit === payment.credit) return payment;
  await setCredit(work.tx, payment, credit);
  const changed = { ...payment, credit };
  await planTransfer(ctx, work, safe, changed, { disputeId: dispute.id });
  await recordDebt(work, changed, credit < payment.credit ? dispute.id : null);
  return changed;
}
