/** What the issuer has not taken for minutes: a job tries it again for days before it is given up. */
import { listLateCards } from "@cardkeep/db/queries/cards/cards";
import type { Services } from "../../core/services.ts";
import { type Finding, finding } from "./finding.ts";

/** The issuer takes a status within seconds. Each of those that are looked for is an alert of its own. */
export const lateBounds = { seconds: 180, limit: 20 } as const;
const namedMax = 5;

/** The first few of those whose status the issuer has not taken, as a sentence. */
export function describeLate(late: readonly { id: string; issuerStatus: string }[]): string {
  const named = late.slice(0, namedMax).map(({ id, issuerStatus }) => `${id} (${issuerStatus})`);
  const rest = late.length > namedMax ? " and more" : "";
  return `The card issuer has not taken the status of ${named.join(", ")}${rest} for minutes: see \`bun run cardkeep jobs list --scheduled\`, and set it at the issuer`;
}

/** The issuer has every card's status: one that its holder froze or lost may spend there until then. */
export async function checkLateCards({ db }: Pick<Services, "db">): Promise<Finding> {
  const late = await listLateCards(db, lateBounds);
  if (late.length === 0) return finding("cards at the issuer", "ok", "The card issuer takes every card's status");
  const text = `${describeLate(late)}. Until then it may approve payments without us`;
  return { ...finding("cards at the issuer", "fault", text), parts: late.map(({ id }) => id) };
}
