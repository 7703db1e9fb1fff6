/** Returns beyond what the spender may return: they wait as a case until two persons approve more, or a day has passed. */
import { tokens } from "@cardkeep/chain/tokens";
import type { CurrencySafe } from "@cardkeep/db/queries/accounts/safes";
import { endCaseOf } from "@cardkeep/db/queries/spending/cases";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import { approvalOf, readApprovalBudget } from "../../chain/funds/approvalBudget.ts";
import type { WorkerContext, Work } from "../../core/context.ts";
import { baseUnitsToCents } from "../../core/money.ts";
import { openCase } from "../../core/openCase.ts";

const kind = "return_waiting";

/** Whether a return exceeds the approval, and the worker may give none that is enough. */
export async function isBeyondApproval(
  ctx: WorkerContext,
  { tokenSymbol }: CurrencySafe,
  { amount }: CardTransfer,
): Promise<boolean> {
  const token = tokens[tokenSymbol];
  const { settlementAddress: owner, spenderAddress: spender } = ctx.policy;
  if ((await ctx.chain.getApproval({ token: token.address, owner, spender })) >= amount) return false;
  if (ctx.settlementKey === null || amount > approvalOf(ctx.policy, token)) return true;
  const asked = { token: tokenSymbol, account: owner, now: await ctx.clock.now(ctx.db) };
  return (await readApprovalBudget(ctx.policy, ctx.db, asked)) === "used";
}

/** Opens the case of a return that waits. */
export async function openWaitingReturn(
  work: Work,
  { tokenSymbol }: CurrencySafe,
  { paymentId, userId, amount }: CardTransfer,
): Promise<void> {
  const token = tokens[tokenSymbol];
  const note =
    "It is beyond what the spender may return. Two operators give it a greater approval: `cardkeep treasury approve`.";
  const amountCents = baseUnitsToCents(amount, token);
  await openCase(work, { kind, userId, paymentId, amountCents, currency: token.fiat, note });
}

/** Closes the case of a payment whose money went back. */
export const closeWaitingReturn = ({ tx, now }: Work, { paymentId: subjectId }: CardTransfer): Promise<void> =>
  endCaseOf(tx, { kind, subjectId }, { at: now, why: "The money went back" });
