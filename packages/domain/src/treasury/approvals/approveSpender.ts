import { toDecimal, tokenOf } from "@cardkeep/chain/tokens";
import type { Currency } from "@cardkeep/contract/core/currencies";
import type { OperatorContext } from "../../core/context.ts";
import { readAmount } from "../../core/readAmount.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { beginMove } from "../moves/beginMove.ts";
import type { ShownMove } from "../moves/showMove.ts";

/** The accounts from which the spender may return money. */
export const approvingAccounts = ["settlement", "treasury"] as const;
export type ApprovingAccount = (typeof approvingAccounts)[number];

/**
 * Sets what the spender may return of an account, in place of what is left: beyond what the worker renews by itself, or
 * nothing with 0, also while the treasury is stopped.
 *
 * @throws treasury.amount, treasury.busy, treasury.stopped, operators.approval_needed
 */
export async function approveSpender(
  ctx: OperatorContext,
  input: { amount: string; currency: Currency; account: ApprovingAccount },
): Promise<ShownMove> {
  const token = tokenOf[input.currency];
  const amount = readAmount(input.amount, token, "treasury.amount");
  const subject = { kind: "treasury", id: input.account } as const;
  await requireApproval(ctx, "treasury.approve", { input: { ...input, amount: toDecimal(amount, token) }, subject });
  const source = input.account === "settlement" ? ctx.policy.settlementAddress : ctx.policy.treasuryAddress;
  return beginMove(ctx, "treasury.approve", {
    move: { kind: "approve", token: token.symbol, amount, source, destination: ctx.policy.spenderAddress },
    readAt: await ctx.clock.now(ctx.db),
    check: async () => {},
  });
}
