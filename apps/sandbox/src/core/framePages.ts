/** Which pages may frame a page of the sandbox, as sources of `frame-ancestors`. A source cannot name an IPv6 address. */
import { listActiveDomains } from "@cardkeep/db/queries/partners/partners";
import type { Runtime } from "@cardkeep/runtime/compose";

/** Pages of this machine. */
export const loopbackSources = [
  "http://localhost:*",
  "https://localhost:*",
  "http://127.0.0.1:*",
  "https://127.0.0.1:*",
] as const;

/** Pages of this machine, and of the domains where users sign in. */
export async function listAppSources({ db, services }: Runtime): Promise<string[]> {
  const domains = new Set([...services.policy.signInDomains, ...(await listActiveDomains(db))]);
  return [...loopbackSources, ...[...domains].map((domain) => `https://${domain}`)];
}
