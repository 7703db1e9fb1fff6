import { countCardholders, listLateCardholders } from "@cardkeep/db/queries/cards/cardholders";
import type { Services } from "../../core/services.ts";
import { describeLate, lateBounds } from "./checkLateCards.ts";
import { type Finding, finding } from "./finding.ts";

/** How far the issuer has the statuses of people: a sentence; null where it has all of them. */
export async function describeCardholders({ db, policy }: Pick<Services, "db" | "policy">): Promise<string | null> {
  const { behind, all } = await countCardholders(db);
  if (behind === 0) return null;
  const seconds = Math.ceil(behind / policy.issuerCallsPerSecond);
  return `The card issuer has the status of ${all - behind} of ${all} people; the rest takes about ${seconds} s`;
}

/** The issuer has every person as active or inactive as our records. A fault where it has not taken one's own job for minutes. */
export async function checkCardholders(ctx: Pick<Services, "db" | "policy">): Promise<Finding> {
  const text = await describeCardholders(ctx);
  if (text === null) return finding("people at the issuer", "ok", "The card issuer has everybody's status");
  const late = await listLateCardholders(ctx.db, lateBounds);
  const warning = `${text}. Until then it may approve payments without us`;
  if (late.length === 0) return finding("people at the issuer", "warning", warning);
  const fault = finding("people at the issuer", "fault", `${warning}. ${describeLate(late)}`);
  return { ...fault, parts: late.map(({ id }) => id) };
}
