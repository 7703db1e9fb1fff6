import { fail } from "@cardkeep/contract/core/errors";
import { insertPostings } from "@cardkeep/db/queries/books/postings";
import { bookSettlementChange } from "@cardkeep/db/queries/chain/settlementFunds";
import { closeItem, findItem } from "@cardkeep/db/queries/treasury/unannounced";
import { lockTreasury } from "@cardkeep/db/queries/treasury/moves";
import { dayOf } from "../../core/calendar.ts";
import type { OperatorContext } from "../../core/context.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { type ShownMovement, showMovement } from "../../treasury/unannounced/showMovement.ts";
import { openAccounts } from "../postings/openAccounts.ts";
import { type ExplainedAccount, postExplanation } from "../postings/rules.ts";

/**
 * Closes an unannounced movement: two persons know where the money went. The ledger's side of the proof of funds is lowered by
 * it, so it is missing no more, and the books have it on the account that they name.
 *
 * @throws treasury.not_found, treasury.ended, operators.reason_required, operators.approval_needed
 */
export async function explainMovement(
  ctx: OperatorContext,
  { id, account }: { id: string; account: ExplainedAccount },
): Promise<ShownMovement> {
  const reason = ctx.reason ?? fail("operators.reason_required");
  if (!(await findItem(ctx.db, id))) fail("treasury.not_found");
  const subject = { kind: "treasury", id } as const;
  await requireApproval(ctx, "treasury.explain", { input: { id, account }, subject });
  return ctx.act("treasury.explain", async ({ tx, now }) => {
    await lockTreasury(tx);
    const closed = { outcome: "explained", closedAt: now, closedBy: ctx.actor.name, reason } as const;
    const item = (await closeItem(tx, id, closed)) ?? fail("treasury.ended");
    await bookSettlementChange(tx, item.token, -item.amount);
    const { at, ...posting } = postExplanation({ ...item, account, at: now });
    await openAccounts(tx, posting.lines, now);
    await insertPostings(tx, [{ ...posting, effectiveOn: dayOf(at, ctx.policy.statementTimeZone) }], now);
    const output = showMovement(item);
    const before = { missing: output.amount, token: item.token };
    return { output, subject, before, after: { missing: "0", bookedOn: account } };
  });
}
