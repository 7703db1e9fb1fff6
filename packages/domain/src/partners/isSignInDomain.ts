import { hasPartnerDomain } from "@cardkeep/db/queries/partners";
import type { Services } from "../services.ts";

/** Whether apps on this lower-case `host[:port]` may sign users in: registered by a partner, set, or localhost outside production. */
export async function isSignInDomain({ rules, db }: Pick<Services, "rules" | "db">, domain: string): Promise<boolean> {
  if (rules.localhostSignIn && /^localhost(:\d{1,5})?$/.test(domain)) return true;
  return rules.signInDomains.includes(domain) || hasPartnerDomain(db, domain);
}
