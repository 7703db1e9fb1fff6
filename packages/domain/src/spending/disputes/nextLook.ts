import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import type { CardDispute } from "@cardkeep/db/queries/spending/disputes";

/** A decision may be reversed so long after it, and the money for it may come so late. */
const watchedDays = 120;

/**
 * When a worker asks for a dispute again without an event: its events may be lost. Null: only an event leads to it.
 *
 * @param now the present instant
 */
export function findNextLook(
  { status, closedAt, submitBy }: Pick<CardDispute, "status" | "closedAt" | "submitBy">,
  now: Date,
): Date | null {
  const after = (ms: number) => new Date(now.getTime() + ms);
  switch (status) {
    case "requested":
      return after(hourMs);
    case "created": {
      const soon = after(6 * hourMs);
      // Right behind its last instant the issuer reports that it has expired.
      return submitBy !== null && submitBy > now && submitBy < soon ? submitBy : soon;
    }
    case "submitted":
      return after(6 * hourMs);
    case "won":
    case "lost":
    case "taken_back":
      return closedAt !== null && closedAt < after(-watchedDays * dayMs) ? null : after(dayMs);
    default:
      return null;
  }
}
