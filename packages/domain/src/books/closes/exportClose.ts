/** The postings of a closed day as lines, checked against its root while they are read. */
import { fail } from "@cardkeep/contract/core/errors";
import { listPostings } from "@cardkeep/db/queries/books/postings";
import type { Services } from "../../core/services.ts";
import { type Close, getClose } from "./closes.ts";
import { formatLeaf } from "./leaf.ts";
import { addLeaves, emptyFrontier, rootOf } from "./merkle.ts";

const pagePostings = 1_000;

/**
 * Hands the leaves of a closed day to `write`, some at a time, and answers its close. What it holds does not grow with the day.
 *
 * @throws books.invalid_day, books.not_closed, books.changed once all lines were written, where they are not those of the close
 */
export async function exportClose(
  ctx: Pick<Services, "db">,
  { day, write }: { day: string; write: (leaves: readonly string[]) => Promise<void> | void },
): Promise<{ close: Close; document: string }> {
  const close = await getClose(ctx, { day });
  let tree = emptyFrontier;
  for (let after = 0n; ;) {
    const postings = await listPostings(ctx.db, { day, after, limit: pagePostings });
    const leaves = postings.map(formatLeaf);
    tree = addLeaves(tree, leaves);
    await write(leaves);
    const last = postings.at(-1);
    if (!last || postings.length < pagePostings) break;
    after = last.id;
  }
  if (rootOf(tree) !== close.root) fail("books.changed");
  const { digest: _, ...document } = close;
  return { close, document: JSON.stringify(document) };
}
