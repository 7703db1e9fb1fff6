import type { CardEvent } from "@cardkeep/contract/cardEvents";
import { listHistory } from "@cardkeep/db/queries/spending/history";
import type { UserContext } from "../context.ts";
import { filterOf, type Filters, readLines } from "./list.ts";

/** More than anybody looks at in one piece. */
const linesMax = 1_000;

/** What the user's activated cards were used for, newest first; the newest thousand. */
export async function listAllTransactions(ctx: UserContext, filters: Filters): Promise<CardEvent[]> {
  const { lines } = await listHistory(ctx.db, await filterOf(ctx, filters), { limit: linesMax, offset: 0 });
  return readLines(ctx, lines);
}
