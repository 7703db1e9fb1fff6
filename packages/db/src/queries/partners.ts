/** Partners and the domains their apps sign in from. */
import { and, count, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { partnerDomains, partners, users } from "../schema/tables.ts";

export type Partner = typeof partners.$inferSelect;

export async function findPartner(on: Executor, id: string): Promise<Partner | null> {
  const [row] = await on.select().from(partners).where(eq(partners.id, id)).limit(1);
  return row ?? null;
}

export type PartnerWithDomains = Partner & { domains: string[] };

const selectPartners = (on: Executor) =>
  on
    .select({
      ...getTableColumns(partners),
      domains: sql<string[]>`coalesce(array_agg(${partnerDomains.domain} order by ${partnerDomains.domain})
        filter (where ${partnerDomains.domain} is not null), '{}')`,
    })
    .from(partners)
    .leftJoin(partnerDomains, eq(partnerDomains.partnerId, partners.id))
    .groupBy(partners.id);

/** Partners with their domains, newest first. */
export async function listPartners(on: Executor, limit: number): Promise<PartnerWithDomains[]> {
  return selectPartners(on).orderBy(desc(partners.createdAt), desc(partners.id)).limit(limit);
}

export async function findPartnerWithDomains(on: Executor, id: string): Promise<PartnerWithDomains | null> {
  const [row] = await selectPartners(on).where(eq(partners.id, id));
  return row ?? null;
}

/** How many users signed up through a partner. */
export async function countPartnerUsers(on: Executor, partnerId: string): Promise<number> {
  const [row] = await on.select({ count: count() }).from(users).where(eq(users.partnerId, partnerId));
  return row?.count ?? 0;
}

/** Sets a partner's status; false when there is no such partner. */
export async function updatePartnerStatus(on: Executor, id: string, status: Partner["status"]): Promise<boolean> {
  const rows = await on.update(partners).set({ status }).where(eq(partners.id, id)).returning({ id: partners.id });
  return rows.length === 1;
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
