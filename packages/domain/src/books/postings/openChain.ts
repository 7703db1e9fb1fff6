/**
 * What the programme's own accounts held on chain before the first sign-up, booked once.
 *
 * It is the balance at a final block less every transfer that was read up to it. So the node needs no state of old blocks, and
 * anybody can compute it again from the balance and the transfers that a node lists.
 */
import { tokenList } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import {
  beginBookCursor,
  insertWitnessEntries,
  lockBookCursor,
  type NewWitnessEntry,
} from "@cardkeep/db/queries/books/postings";
import { sumWitnessedAccounts } from "@cardkeep/db/queries/books/witnessSources";
import { dayOf } from "../../core/calendar.ts";
import type { CommitContext } from "../../core/context.ts";
import { type AccountKind, nameAccount } from "./chart.ts";
import { openAccounts } from "./openAccounts.ts";

/** The cursor that says that it was done, and at which block. */
export const openingSource = "witness:chain-opening";

interface Opening {
  readonly own: readonly (readonly [AccountKind, Address])[];
  /** The cursor of the transfers. */
  readonly source: string;
  /** The final block up to which they were read. */
  readonly block: { readonly number: bigint; readonly hash: Hex; readonly timestamp: number };
  /** When the books begin. */
  readonly at: Date;
}

/** Reads the balances at a block, and keeps what no transfer up to it explains. A reader that got further leaves it to a later run. */
export async function openChain(ctx: CommitContext, { own, source, block, at }: Opening): Promise<void> {
  const held = await Promise.all(
    own.flatMap(([kind, address]) =>
      tokenList.map(async ({ address: token, fiat: currency }) => ({
        account: nameAccount(kind, currency),
        currency,
        balance: await ctx.chain.getTokenBalance(token, address, block.number),
      })),
    ),
  );
  await ctx.commit(async ({ tx, now }) => {
    if ((await lockBookCursor(tx, source))?.block !== block.number) return;
    const reachedAt = new Date(block.timestamp * 1000);
    if (!(await beginBookCursor(tx, { source: openingSource, block: block.number, reachedAt, updatedAt: now }))) return;
    const moved = await sumWitnessedAccounts(tx, "chain");
    const rows = held.flatMap(({ account, currency, balance }, ordinal): NewWitnessEntry[] => {
      const amount = balance - (moved.get(account) ?? 0n);
      if (amount === 0n) return [];
      const entry = { witness: "chain", reference: block.hash, ordinal, kind: "opening", party: null };
      return [{ ...entry, account, currency, amount, effectiveOn: dayOf(at, ctx.policy.statementTimeZone), at }];
    });
    await openAccounts(tx, rows, now);
    await insertWitnessEntries(tx, rows, now);
  });
}
