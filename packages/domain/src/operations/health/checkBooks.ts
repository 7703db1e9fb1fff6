import { toDecimal } from "@cardkeep/chain/tokens";
import { listOpenItems, readBookDays } from "@cardkeep/db/queries/books/closes";
import { daysBetween } from "../../core/calendar.ts";
import type { Services } from "../../core/services.ts";
import { findLastDay } from "../../books/closes/closeDay.ts";
import { listUnexplained, type Unexplained } from "../../treasury/unannounced/listUnexplained.ts";
import { type Finding, finding } from "./finding.ts";

/** A difference between days is explained the day after, as a rule. */
const itemDaysMax = 3;

const namedMax = 3;

/** The oldest of these movements, and how many more there are. */
function describe(movements: readonly Unexplained[]): string {
  const named = movements.slice(0, namedMax).map(({ id, place, token, amount, day }) => {
    return `${toDecimal(amount < 0n ? -amount : amount, token)} ${token.symbol} of the ${place} on ${day} (${id})`;
  });
  const more = movements.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Each day that is over is closed, but for the last one, no item is old, and no money left unannounced. */
export async function checkBooks(ctx: Pick<Services, "db" | "clock" | "policy">): Promise<Finding> {
  const [last, { first, closed }, items, unexplained] = await Promise.all([
    findLastDay(ctx),
    readBookDays(ctx.db),
    listOpenItems(ctx.db),
    listUnexplained(ctx.db, ctx.policy.statementTimeZone),
  ]);
  const gone = unexplained.filter(({ amount }) => amount < 0n);
  if (gone.length > 0) {
    const text = `Money left unannounced: ${describe(gone)}. Look who has the keys, then \`treasury explain\` each`;
    return finding("books", "fault", text);
  }
  const behind = first === null ? 0 : daysBetween(closed ?? first, last);
  if (behind > 1) {
    const text = `The books of ${behind} days are open: a worker closes them once chain and issuer answer`;
    return finding("books", "warning", `${text}; see its log, or run \`bun run cardkeep books close\``);
  }
  const old = items.filter(({ firstDay }) => daysBetween(firstDay, last) >= itemDaysMax);
  if (old.length > 0) {
    const text = `${old.length} items of the books are ${itemDaysMax} days old or older`;
    return finding("books", "warning", `${text}: settle them; \`bun run cardkeep books show ${closed ?? last}\``);
  }
  const came = unexplained.filter(({ day }) => daysBetween(day, last) >= itemDaysMax);
  if (came.length > 0) {
    const text = `Money came unannounced: ${describe(came)}. Say whose it is: \`treasury explain\` each`;
    return finding("books", "warning", text);
  }
  return finding("books", "ok", closed === null ? "No day is closed yet" : `Closed up to ${closed}`);
}
