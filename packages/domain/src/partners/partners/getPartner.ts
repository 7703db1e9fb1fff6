import { fail } from "@cardkeep/contract/core/errors";
import {
  countPartnerUsers,
  findPartner,
  findPartnerWithDomains,
  hasPartnerDomain,
  listPartners as listRows,
  type Partner,
  type PartnerWithDomains,
} from "@cardkeep/db/queries/partners/partners";
import type { Services } from "../../core/services.ts";

export type PartnerDetails = PartnerWithDomains & {
  /** How many users signed up through it. */
  users: number;
};

/** One partner. @throws partners.not_found */
export async function getPartner({ db }: Pick<Services, "db">, { id }: { id: string }): Promise<PartnerDetails> {
  const partner = (await findPartnerWithDomains(db, id)) ?? fail("partners.not_found");
  return { ...partner, users: await countPartnerUsers(db, id) };
}

/** Partners with their domains, newest first; `after` names the last row of the page before. */
export const listPartners = (
  { db }: Pick<Services, "db">,
  { after = null, limit }: { after?: string | null; limit: number },
): Promise<PartnerWithDomains[]> => listRows(db, { after, limit });

/** Whether apps on this lower-case `host[:port]` may sign users in: registered by a partner, set, or localhost outside production. */
export async function isSignInDomain(
  { policy, db }: Pick<Services, "policy" | "db">,
  domain: string,
): Promise<boolean> {
  if (policy.localhostSignIn && /^localhost(:\d{1,5})?$/.test(domain)) return true;
  return policy.signInDomains.includes(domain) || hasPartnerDomain(db, domain);
}

/** A partner that may be subscribed. @throws partners.not_found for a disabled one too */
export async function getActivePartner(services: Pick<Services, "db">, id: string): Promise<Partner> {
  const partner = await getPartnerRow(services, id);
  return partner.status === "ACTIVE" ? partner : fail("partners.not_found");
}

/** @throws partners.not_found */
export async function getPartnerRow({ db }: Pick<Services, "db">, id: string): Promise<Partner> {
  return (await findPartner(db, id)) ?? fail("partners.not_found");
}
