import { listOpenItems, readBookDays } from "@cardkeep/db/queries/books/closes";
import { daysBetween } from "../../core/calendar.ts";
import type { Services } from "../../core/services.ts";
import { findLastDay } from "../../books/closes/closeDay.ts";
import { type Finding, finding } from "./finding.ts";

/** A difference between days is explained the day after, as a rule. */
const itemDaysMax = 3;

/** Each day that is over is closed, but for the last one, and no item is old. */
export async function checkBooks(ctx: Pick<Services, "db" | "clock" | "policy">): Promise<Finding> {
  const [last, { first, closed }, items] = await Promise.all([
    findLastDay(ctx),
    readBookDays(ctx.db),
    listOpenItems(ctx.db),
  ]);
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
  return finding("books", "ok", closed === null ? "No day is closed yet" : `Closed up to ${closed}`);
}
