import { findIban } from "@cardkeep/db/queries/ibans";
import type { UserContext } from "../context.ts";

/** The user's IBAN and how far it is. */
export async function getIbanDetails(ctx: UserContext) {
  const row = await findIban(ctx.db, ctx.actor.userId);
  const ibanStatus = row?.status ?? ("NOTSTARTED" as const);
  const address = ibanStatus === "NOTSTARTED" ? null : (row?.address ?? null);
  return { data: { iban: row?.iban ?? null, bic: row?.bic ?? null, ibanStatus, address } };
}
