import { fail } from "@cardkeep/contract/core/errors";
import { insertPostings } from "@cardkeep/db/queries/books/postings";
import { bookSettlementChange } from "@cardkeep/db/queries/chain/settlementFunds";
import { closeItem, findItem, listOpenTreasuryItems } from "@cardkeep/db/queries/treasury/unannounced";
import { lockTreasury } from "@cardkeep/db/queries/treasury/moves";
import { dayOf } from "../../core/calendar.ts";
import type { OperatorContext, Work } from "../../core/context.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { type ShownMovement, showMovement } from "../../treasury/unannounced/showMovement.ts";
import { openAccounts } from "../postings/openAccounts.ts";
import { type ExplainedAccount, type Posting, postExplanation } from "../postings/rules.ts";
import { listUnexplained, type ShownUnexplained, showUnexplained } from "../../treasury/unannounced/listUnexplained.ts";

/**
 * Closes an unannounced movement: two persons know whose the money was. The books have it on the account that they name. It is an item of
 * the proof of funds, whose ledger's side is lowered by it, so it is missing no more; or an entry of the books' suspense.
 *
 * @param input.id of the item or the entry
 * @throws treasury.not_found, treasury.ended, treasury.item_open, operators.reason_required, operators.approval_needed
 */
export async function explainMovement(
  ctx: OperatorContext,
  input: { id: string; account: ExplainedAccount },
): Promise<ShownMovement | ShownUnexplained> {
  const reason = ctx.reason ?? fail("operators.reason_required");
  const isItem = (await findItem(ctx.db, input.id)) !== null;
  const zone = ctx.policy.statementTimeZone;
  if (!isItem && !(await listUnexplained(ctx.db, zone)).some(({ id }) => id === input.id)) fail("treasury.not_found");
  const subject = { kind: "treasury", id: input.id } as const;
  await requireApproval(ctx, "treasury.explain", { input, subject });
  return ctx.act("treasury.explain", async (work) => {
    await lockTreasury(work.tx);
    const { output, posting } = isItem ? await endItem(ctx, work, input, reason) : await endEntry(work, input, zone);
    await openAccounts(work.tx, posting.lines, work.now);
    const { at, ...rest } = posting;
    await insertPostings(work.tx, [{ ...rest, effectiveOn: dayOf(at, zone) }], work.now);
    const before = { missing: output.amount, token: output.token };
    return { output, subject, before, after: { missing: "0", bookedOn: input.account } };
  });
}

type Asked = Readonly<{ id: string; account: ExplainedAccount }>;

async function endItem(
  ctx: OperatorContext,
  { tx, now }: Pick<Work, "tx" | "now">,
  { id, account }: Asked,
  reason: string,
): Promise<{ output: ShownMovement; posting: Posting }> {
  const closed = { outcome: "explained", closedAt: now, closedBy: ctx.actor.name, reason } as const;
  const item = (await closeItem(tx, id, closed)) ?? fail("treasury.ended");
  await bookSettlementChange(tx, item.token, -item.amount);
  const posting = postExplanation({ id, token: item.token, amount: item.amount, account, at: now });
  return { output: showMovement(item), posting };
}

async function endEntry(
  { tx, now }: Pick<Work, "tx" | "now">,
  { id, account }: Asked,
  zone: string,
): Promise<{ output: ShownUnexplained; posting: Posting }> {
  const entry = (await listUnexplained(tx, zone)).find((each) => each.id === id) ?? fail("treasury.ended");
  const { place, token, amount } = entry;
  // What the ledger misses has items: explained as an entry too, it would be booked twice.
  const isItemOpen = async () => (await listOpenTreasuryItems(tx)).some((item) => item.token === token.symbol);
  if (place === "settlement" && amount < 0n && (await isItemOpen())) fail("treasury.item_open");
  return {
    output: showUnexplained(entry),
    posting: postExplanation({ id, token: token.symbol, amount: -amount, account, at: now }),
  };
}
