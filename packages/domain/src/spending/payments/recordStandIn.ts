/** Marks payments that the issuer decided without us, and opens the cases that follow. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { listStandings } from "@cardkeep/db/queries/cards/cardholders";
import { listDecisions } from "@cardkeep/db/queries/spending/decisions";
import type { CardPayment } from "@cardkeep/db/queries/spending/payments";
import { findStandIn, sumStandIns, upsertStandIn } from "@cardkeep/db/queries/spending/standIns";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import type { ThreadReport } from "@cardkeep/providers/issuer/spending";
import { findBlock, findOpenSince } from "../../core/cardholders/findBlock.ts";
import { windowStart } from "../../core/cardRules/windowStart.ts";
import { openCase } from "../../core/openCase.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { computeStandInExcess, deriveStandIn, sumUnapproved, type ThreadStandIn } from "./deriveStandIn.ts";
import { formatCents } from "./formatMoney.ts";

/**
 * Records what the issuer decided without us about a payment, in the commit that books the report. `payment` is its row as it
 * was before that.
 *
 * An approval beyond what the settings allow becomes a case, unless we approved as much and only our answer came too late.
 */
export async function recordStandIn(
  ctx: Pick<WorkerContext, "policy" | "log">,
  work: Work,
  payment: CardPayment,
  { authorization }: ThreadReport,
): Promise<void> {
  const requests = authorization?.requests ?? [];
  const standIn = deriveStandIn(requests);
  if (standIn === null) return;
  const { id: paymentId, userId, billingCurrency: currency, threadId } = payment;
  const aloneCents = sumUnapproved(requests, await listDecisions(work.tx, payment));
  const row = { ...standIn, aloneCents, paymentId, userId, currency, createdAt: work.now };
  if (!(await upsertStandIn(work.tx, row))) return;
  const { decision, approvedCents, reason, decidedAt } = standIn;
  ctx.log.warn({ threadId, decision, reason }, "the issuer decided about a payment without us");
  if (payment.owed > 0n) await openShortfallCase(work, payment, payment.owed);
  if (aloneCents === 0n) return;
  await openBlockedCase(ctx, work, payment, standIn);
  const from = windowStart("day", decidedAt.getTime());
  const day = { from: new Date(from), to: new Date(from + dayMs) };
  const dayCents = await sumStandIns(work.tx, { userId, currency, ...day });
  const excess = computeStandInExcess(aloneCents, dayCents, ctx.policy.standIn);
  if (excess <= 0n) return;
  await openCase(work, {
    kind: "stand_in_excess",
    userId,
    paymentId,
    amountCents: excess,
    currency,
    note:
      `The issuer approved ${formatCents(approvedCents, currency)} without an answer of ours (${reason}). ` +
      "STAND_IN and its limits allow less. Set the issuer's default for missing answers to match, or change the settings.",
  });
}

/** Opens a case where the issuer approved a payment of a person whose cards are to be inactive there. */
async function openBlockedCase(
  { policy }: Pick<WorkerContext, "policy">,
  work: Work,
  { id: paymentId, userId, billingCurrency: currency }: CardPayment,
  { approvedCents }: ThreadStandIn,
): Promise<void> {
  const [standing] = await listStandings(work.tx, [userId], findOpenSince(policy, work.now));
  const block = standing ? findBlock(standing, policy) : null;
  if (block === null) return;
  await openCase(work, {
    kind: "stand_in_blocked",
    userId,
    paymentId,
    amountCents: approvedCents,
    currency,
    note:
      `The issuer approved ${formatCents(approvedCents, currency)} without an answer of ours, of a person whose cards decline (${block}). ` +
      "It did not have the person as inactive yet, or the block came after the payment. Compare the status at the issuer.",
  });
}

/** Opens a case for the debt of a payment that the issuer approved without us; nothing for other payments. */
export async function openShortfallCase(
  work: Work,
  { id: paymentId, userId, safeId, billingCurrency: currency }: CardPayment,
  owed: bigint,
): Promise<void> {
  const standIn = await findStandIn(work.tx, paymentId);
  if (standIn === null || standIn.approvedCents === 0n) return;
  const amountCents = toCents(await findSafe(work.tx, safeId), owed);
  await openCase(work, {
    kind: "stand_in_shortfall",
    userId,
    paymentId,
    amountCents,
    currency,
    note:
      `${formatCents(amountCents, currency)} did not leave the account for a payment that the issuer approved without us. ` +
      "The user owes it, and the worker collects it from later deposits. Decide whether you wait, or bear the loss.",
  });
}

/** Base units in whole cents, rounded up. */
function toCents(safe: Pick<CurrencySafe, "tokenSymbol"> | { tokenSymbol: null } | null, owed: bigint): bigint {
  if (!safe?.tokenSymbol) throw new Error("A debt is in a Safe without a currency");
  const unit = centsToBaseUnits(1n, tokens[safe.tokenSymbol]);
  return (owed + unit - 1n) / unit;
}
