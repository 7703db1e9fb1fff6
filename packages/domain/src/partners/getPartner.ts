import { fail } from "@cardkeep/contract/errors";
import { countPartnerUsers, findPartnerWithDomains, type PartnerWithDomains } from "@cardkeep/db/queries/partners";
import type { Services } from "../services.ts";

export type PartnerDetails = PartnerWithDomains & {
  /** How many users signed up through it. */
  users: number;
};

/** One partner. @throws partners.not_found */
export async function getPartner({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<PartnerDetails> {
  const partner = (await findPartnerWithDomains(db, id)) ?? fail("partners.not_found");
  return { ...partner, users: await countPartnerUsers(db, id) };
}
