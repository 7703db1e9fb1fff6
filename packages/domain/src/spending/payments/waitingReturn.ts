/**
 * Returns that wait as a case: those beyond what the spender may return, until two persons approve more or a day has passed; and those
 * to a Safe that was changed and given up, until the person has another one.
 */
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

const notes = {
  approval:
    "It is beyond what the spender may return. Two operators give it a greater approval: `cardkeep treasury approve`.",
  safe:
    "The Safe that paid was changed from outside and given up, so who changed it could take the money. It goes to the person's new " +
    "Safe with the same token by itself, once there is one. Ask the person to set it up.",
} as const;

/** Opens the case of a return that waits for one of these. */
export async function openWaitingReturn(
  work: Work,
  { tokenSymbol }: CurrencySafe,
  { paymentId, userId, amount }: CardTransfer,
  awaited: keyof typeof notes,
): Promise<void> {
  const token = tokens[tokenSymbol];
  const amountCents = baseUnitsToCents(amount, token);
  await openCase(work, { kind, userId, paymentId, amountCents, currency: token.fiat, note: notes[awaited] });
}

/** Closes the case of a payment whose money went back. */
export const closeWaitingReturn = ({ tx, now }: Work, { paymentId: subjectId }: CardTransfer): Promise<void> =>
  endCaseOf(tx, { kind, subjectId }, { at: now, why: "The money went back" });
