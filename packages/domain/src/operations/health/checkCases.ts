import { formatAge } from "@cardkeep/contract/core/durations";
import { countOpenCases } from "@cardkeep/db/queries/spending/cases";
import type { Services } from "../../core/services.ts";
import { type Finding, finding } from "./finding.ts";

/** A case that is open longer is a fault: deadlines of card networks are counted in days. */
const openSecondsMax = 7 * 86_400;

/** No case is open; an old one is a fault, and so is one whose last instant has passed. */
export async function checkCases({ db, clock }: Pick<Services, "db" | "clock">): Promise<Finding> {
  const open = await countOpenCases(db);
  if (open.length === 0) return finding("cases", "ok", "None is open");
  const oldest = Math.min(...open.map(({ oldestAt }) => oldestAt.getTime()));
  const now = await clock.now(db);
  const seconds = (now.getTime() - oldest) / 1000;
  const isLate = open.some(({ dueAt }) => dueAt !== null && dueAt < now);
  const counts = open.map(({ kind, count }) => `${count} ${kind}`).join(", ");
  const text = `Open: ${counts}; the oldest for ${formatAge(seconds)}${isLate ? "; one is past its last instant" : ""}. See \`cases list\`, settle them, and close them`;
  return finding("cases", isLate || seconds > openSecondsMax ? "fault" : "warning", text);
}
