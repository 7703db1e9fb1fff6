import { toDecimal } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { changeMove, findMove } from "@cardkeep/db/queries/treasury/moves";
import type { OperatorContext } from "../../core/context.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { beginMove } from "./beginMove.ts";
import { parseMoveAmount, requireWholeCents, type ShownMove, showMove } from "./showMove.ts";
import type { MoveInput } from "./sweep.ts";

/**
 * Announces money that the operator sends from a bank to the issuer's funding IBAN. It has arrived once the issuer lists
 * its top-up.
 *
 * @throws treasury.amount, treasury.no_way_out, treasury.stopped, operators.approval_needed
 */
export async function fund(ctx: OperatorContext, { amount: given, currency }: MoveInput): Promise<ShownMove> {
  const { token, amount } = parseMoveAmount(given, currency);
  requireWholeCents(amount, token);
  const account =
    (await ctx.issuer.findFundingAccount(currency)) ??
    fail("treasury.no_way_out", { text: `The issuer names no funding IBAN for ${currency}` });
  const subject = { kind: "treasury", id: "issuer" } as const;
  await requireApproval(ctx, "treasury.fund", { input: { amount: toDecimal(amount, token), currency }, subject });
  return beginMove(ctx, "treasury.fund", {
    move: { kind: "fund", status: "SENT", token: token.symbol, amount, source: null, destination: account.iban },
    readAt: await ctx.clock.now(ctx.db),
    check: async () => {},
  });
}

/**
 * Gives up money that was announced and does not arrive.
 *
 * @throws treasury.not_found, treasury.ended, operators.reason_required
 */
export async function giveUpFund(ctx: OperatorContext, { id }: { id: string }): Promise<ShownMove> {
  const failure = ctx.reason ?? fail("operators.reason_required");
  return ctx.act("treasury.give-up", async ({ tx, now }) => {
    const known = (await findMove(tx, id)) ?? fail("treasury.not_found");
    if (known.kind !== "fund") fail("treasury.ended", { text: "Only announced money can be given up" });
    const ended = (await changeMove(tx, id, { status: "FAILED", failure, updatedAt: now })) ?? fail("treasury.ended");
    const subject = { kind: "treasury", id } as const;
    return { output: showMove(ended), subject, before: { status: known.status }, after: { status: ended.status } };
  });
}
