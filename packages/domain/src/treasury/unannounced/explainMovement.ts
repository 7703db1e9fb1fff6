import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { bookSettlementChange } from "@cardkeep/db/queries/chain/settlementFunds";
import { closeItem, findItem, type TreasuryItem } from "@cardkeep/db/queries/treasury/unannounced";
import { lockTreasury } from "@cardkeep/db/queries/treasury/moves";
import type { OperatorContext } from "../../core/context.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";

/** An unannounced movement as operators and programs read it. */
export const showItem = (item: TreasuryItem) => ({
  id: item.id,
  token: item.token,
  amount: toDecimal(item.amount, tokens[item.token]),
  foundAt: item.foundAt,
  outcome: item.outcome,
  closedAt: item.closedAt,
  closedBy: item.closedBy,
  reason: item.reason,
});
export type ShownItem = ReturnType<typeof showItem>;

/**
 * Closes an unannounced movement: two persons know where the money went. The ledger's side of the proof of funds is lowered by
 * it, so it is missing no more.
 *
 * @throws treasury.not_found, treasury.ended, operators.reason_required, operators.approval_needed
 */
export async function explainMovement(ctx: OperatorContext, { id }: { id: string }): Promise<ShownItem> {
  const reason = ctx.reason ?? fail("operators.reason_required");
  if (!(await findItem(ctx.db, id))) fail("treasury.not_found");
  const subject = { kind: "treasury", id } as const;
  await requireApproval(ctx, "treasury.explain", { input: { id }, subject });
  return ctx.act("treasury.explain", async ({ tx, now }) => {
    await lockTreasury(tx);
    const closed = { outcome: "explained", closedAt: now, closedBy: ctx.actor.name, reason } as const;
    const item = (await closeItem(tx, id, closed)) ?? fail("treasury.ended");
    await bookSettlementChange(tx, item.token, -item.amount);
    const output = showItem(item);
    return { output, subject, before: { missing: output.amount, token: item.token }, after: { missing: "0" } };
  });
}
