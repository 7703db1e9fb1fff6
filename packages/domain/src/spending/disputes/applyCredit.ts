import { tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { lockPayment } from "@cardkeep/db/queries/spending/debts";
import { type CardDispute, setCredit } from "@cardkeep/db/queries/spending/disputes";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import type { Context, Work } from "../../core/context.ts";
import { baseUnitsToCents, centsToBaseUnits, greatest } from "../../core/money.ts";
import { planTransfer } from "../payments/planTransfer.ts";
import { recordDebt } from "../payments/recordDebt.ts";
import { computeCredit } from "./deriveDispute.ts";
import { readAdvanceMax } from "./outstandingCredits.ts";

/**
 * Plans what a dispute's credit changes, behind the locks of user and Safe: what the network's decision returns, or the law, or
 * the operator advances. What the Safe cannot give back becomes a debt and a case: see `recordDebt`.
 *
 * @param before the dispute as it was until this commit, where the issuer's report changes it
 */
export async function applyCredit(
  ctx: Pick<Context, "policy">,
  work: Work,
  safe: CurrencySafe,
  dispute: CardDispute,
  key: Pick<CardPayment, "id" | "userId">,
  before: CardDispute = dispute,
): Promise<CardPayment> {
  const payment = await lockPayment(work.tx, key);
  if (!payment) throw new Error(`Payment ${key.id} has no row`);
  const { status, amountCents, reinstatedCents, creditCents } = dispute;
  const token = tokens[safe.tokenSymbol];
  const heldCents = before.reinstatedCents === 0n ? baseUnitsToCents(payment.credit, token) : 0n;
  const disputeAdvanceCentsMax = await readAdvanceMax(ctx.policy, work.tx, dispute, heldCents);
  const report = { status, amountCents: amountCents ?? 0n, reinstatedCents };
  const decided = computeCredit({ ...ctx.policy, disputeAdvanceCentsMax }, report);
  const credit = centsToBaseUnits(greatest(decided, creditCents), token);
  if (credit === payment.credit) return payment;
  await setCredit(work.tx, payment, credit);
  const changed = { ...payment, credit };
  await planTransfer(ctx, work, safe, changed, { disputeId: dispute.id });
  await recordDebt(work, changed, credit < payment.credit ? dispute.id : null);
  return changed;
}
