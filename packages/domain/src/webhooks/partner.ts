import { fail } from "@cardkeep/contract/errors";
import { findPartner, type Partner } from "@cardkeep/db/queries/partners";
import type { Services } from "../services.ts";

/** A partner that may be subscribed. @throws partners.not_found for a disabled one too */
export async function getActivePartner(services: Pick<Services, "db">, id: string): Promise<Partner> {
  const partner = await getPartnerRow(services, id);
  return partner.status === "ACTIVE" ? partner : fail("partners.not_found");
}

/** @throws partners.not_found */
export async function getPartnerRow({ db }: Pick<Services, "db">, id: string): Promise<Partner> {
  return (await findPartner(db, id)) ?? fail("partners.not_found");
}
