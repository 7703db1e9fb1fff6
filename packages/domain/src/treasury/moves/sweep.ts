import { toDecimal } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import type { Currency } from "@cardkeep/contract/core/currencies";
import { findUsableDestination } from "@cardkeep/db/queries/treasury/destinations";
import type { OperatorContext, Work } from "../../core/context.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { beginMove } from "./beginMove.ts";
import { readFloat } from "./readFloat.ts";
import { describeAmount, parseMoveAmount, type ShownMove } from "./showMove.ts";

export interface MoveInput {
  /** Whole tokens, such as `12.50`. */
  amount: string;
  currency: Currency;
}

const subject = { kind: "treasury", id: "settlement" } as const;

/** @throws treasury.not_allowed unless the allow-list has the destination for longer than a day */
export async function requireDestination({ tx, now }: Pick<Work, "tx" | "now">, value: string): Promise<void> {
  if (!(await findUsableDestination(tx, value, now)))
    fail("treasury.not_allowed", { text: `${value} is not on the allow-list, or does not count yet` });
}

/**
 * Moves settled tokens from the settlement account to the treasury. The float stays. A worker carries it out.
 *
 * @throws treasury.amount, treasury.float, treasury.busy, treasury.stopped, treasury.not_allowed, operators.approval_needed
 */
export async function sweep(ctx: OperatorContext, { amount: given, currency }: MoveInput): Promise<ShownMove> {
  const { token, amount } = parseMoveAmount(given, currency);
  await requireApproval(ctx, "treasury.sweep", { input: { amount: toDecimal(amount, token), currency }, subject });
  const { settlementAddress: source, treasuryAddress: destination } = ctx.policy;
  const readAt = await ctx.clock.now(ctx.db);
  const balance = await ctx.chain.getTokenBalance(token.address, source);
  const check = async (work: Work) => {
    await requireDestination(work, destination);
    const float = (await readFloat(ctx, work.tx, work.now))(token);
    const free = balance > float ? balance - float : 0n;
    if (amount <= free) return;
    fail("treasury.float", {
      text: `At most ${describeAmount(free, token)} can be swept: ${describeAmount(float, token)} stay for refunds and credits`,
    });
  };
  return beginMove(ctx, "treasury.sweep", {
    move: { kind: "sweep", token: token.symbol, amount, source, destination },
    readAt,
    check,
  });
}

/**
 * Moves the operator's own tokens from the treasury to the settlement account.
 *
 * @throws treasury.amount, treasury.funds, treasury.busy, treasury.stopped, operators.approval_needed
 */
export async function contribute(ctx: OperatorContext, { amount: given, currency }: MoveInput): Promise<ShownMove> {
  const { token, amount } = parseMoveAmount(given, currency);
  await requireApproval(ctx, "treasury.contribute", { input: { amount: toDecimal(amount, token), currency }, subject });
  const { settlementAddress: destination, treasuryAddress: source } = ctx.policy;
  const readAt = await ctx.clock.now(ctx.db);
  const balance = await ctx.chain.getTokenBalance(token.address, source);
  const check = async () => requireFunds(balance, amount);
  return beginMove(ctx, "treasury.contribute", {
    move: { kind: "contribute", token: token.symbol, amount, source, destination },
    readAt,
    check,
  });
}

/** @throws treasury.funds */
export function requireFunds(balance: bigint, amount: bigint): void {
  if (balance < amount) fail("treasury.funds");
}
