/** Partners and the domains their apps sign in from. */
import { and, eq } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { partnerDomains, partners } from "../schema/tables.ts";

export type Partner = typeof partners.$inferSelect;

export async function findPartner(on: Executor, id: string): Promise<Partner | null> {
  const [row] = await on.select().from(partners).where(eq(partners.id, id)).limit(1);
  return row ?? null;
}

/** Whether an active partner registered this lower-case `host[:port]`. */
export async function hasPartnerDomain(on: Executor, domain: string): Promise<boolean> {
  const rows = await on
    .select({ domain: partnerDomains.domain })
    .from(partnerDomains)
    .innerJoin(partners, eq(partners.id, partnerDomains.partnerId))
    .where(and(eq(partnerDomains.domain, domain), eq(partners.status, "ACTIVE")))
    .limit(1);
  return rows.length === 1;
}

/** Inserts a partner with its domains; false when the id or a domain is taken. */
export async function insertPartner(
  tx: Tx,
  row: typeof partners.$inferInsert,
  domains: readonly string[],
): Promise<boolean> {
  const inserted = await tx.insert(partners).values(row).onConflictDoNothing().returning({ id: partners.id });
  if (inserted.length === 0) return false;
  if (domains.length === 0) return true;
  const registered = await tx
    .insert(partnerDomains)
    .values(domains.map((domain) => ({ domain, partnerId: row.id })))
    .onConflictDoNothing()
    .returning({ domain: partnerDomains.domain });
  return registered.length === domains.length;
}
