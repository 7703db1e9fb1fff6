import { type IssuerCallbackRow, listIssuerCallbacks as listRows } from "@cardkeep/db/queries/cards/issuerCallbacks";
import type { IssuerCallbackOutcome } from "@cardkeep/db/schema/cards/cards";
import { findEventHandling } from "@cardkeep/providers/issuer/stripeEventTypes";
import type { Services } from "../../core/services.ts";

/** A callback of the issuer, with what its type stands for here. */
export interface ListedIssuerCallback extends IssuerCallbackRow {
  readonly text: string;
}

/** The issuer's callbacks of the last 30 days, newest first; `after` names the last row of the page before. */
export async function listIssuerCallbacks(
  { db }: Pick<Services, "db">,
  {
    outcome = null,
    type = null,
    after = null,
    limit,
  }: {
    outcome?: IssuerCallbackOutcome | null | undefined;
    type?: string | null | undefined;
    after?: string | null | undefined;
    limit: number;
  },
): Promise<ListedIssuerCallback[]> {
  const rows = await listRows(db, { outcome, type, after, limit });
  return rows.map((row) => ({ ...row, text: describe(row) }));
}

function describe({ type, outcome }: IssuerCallbackRow): string {
  if (outcome === "unmatched") return "The object belongs to no row of this service";
  const handling = findEventHandling(type);
  if (handling === null) return "This version does not know the type";
  return "ignoredBecause" in handling ? handling.ignoredBecause : `Handled as ${handling.handledBy}`;
}
