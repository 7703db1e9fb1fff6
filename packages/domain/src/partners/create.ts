import { fail } from "@cardkeep/contract/errors";
import { insertPartner } from "@cardkeep/db/queries/partners";
import type { Services } from "../context.ts";
import { generateId } from "../ids.ts";

/** A `host` or `host:port` as it stands in a sign-in message; no scheme, no path. */
const domainPattern = /^(?=.{1,253}(:|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;

const portMax = 65_535;

function isDomain(text: string): boolean {
  const port = Number(text.split(":")[1] ?? portMax);
  return domainPattern.test(text) && port > 0 && port <= portMax;
}

export interface NewPartner {
  id?: string | undefined;
  name: string;
  domains: readonly string[];
  webhookUrl?: string | undefined;
}

/** Registers a partner; its domains may sign people in at once. @throws partners.invalid_domain, partners.taken */
export async function createPartner(
  { db, clock }: Pick<Services, "db" | "clock">,
  { id = generateId(), name, domains, webhookUrl }: NewPartner,
): Promise<{ id: string; name: string; domains: string[]; webhookUrl: string | null }> {
  const lowerCase = [...new Set(domains.map((domain) => domain.toLowerCase()))];
  if (!lowerCase.every(isDomain)) fail("partners.invalid_domain");
  await db.transaction(async (tx) => {
    const row = { id, name, webhookUrl: webhookUrl ?? null, status: "ACTIVE", createdAt: await clock.now(tx) } as const;
    if (!(await insertPartner(tx, row, lowerCase))) fail("partners.taken");
  });
  return { id, name, domains: lowerCase, webhookUrl: webhookUrl ?? null };
}
