/** Partners and the domains their apps sign in from. */
import { and, count, desc, eq, getTableColumns, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import { partnerDomains, partnerKeys, partners, users } from "../../schema/tables.ts";
import { databaseIdentity } from "../core/databaseIdentity.ts";

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

/** The active partners with an endpoint that asked for all kinds of events. */
export const listAskingPartners = (on: Executor): Promise<{ id: string }[]> =>
  on
    .select({ id: partners.id })
    .from(partners)
    .where(
      and(
        eq(partners.hasAllEvents, true),
        eq(partners.status, "ACTIVE"),
        eq(partners.webhookStatus, "ACTIVE"),
        isNotNull(partners.webhookUrl),
      ),
    );

/** Partners with their domains, newest first; `after` names the last row of the page before. */
export async function listPartners(
  on: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<PartnerWithDomains[]> {
  const isOlder = sql`(${partners.createdAt}, ${partners.id}) <
    (select known.created_at, known.id from partners known where known.id = ${after})`;
  return selectPartners(on)
    .where(after === null ? undefined : isOlder)
    .orderBy(desc(partners.createdAt), desc(partners.id))
    .limit(limit);
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

/** The domains of all active partners, in order. */
export async function listActiveDomains(on: Executor): Promise<string[]> {
  const rows = await on
    .select({ domain: partnerDomains.domain })
    .from(partnerDomains)
    .innerJoin(partners, eq(partners.id, partnerDomains.partnerId))
    .where(isOneOf(partners.status, ["ACTIVE"]))
    .orderBy(partnerDomains.domain);
  return rows.map(({ domain }) => domain);
}

/** Inserts a partner with its domains; false when the id or a domain is taken. */
export async function insertPartner(
  tx: Tx,
  row: typeof partners.$inferInsert,
  domains: readonly string[],
): Promise<boolean> {
  // From its first event on, so that a restore of a backup without any leaves a gap too.
  const numbered = { ...row, numberedBy: databaseIdentity };
  const inserted = await tx.insert(partners).values(numbered).onConflictDoNothing().returning({ id: partners.id });
  if (inserted.length === 0) return false;
  if (domains.length === 0) return true;
  const registered = await tx
    .insert(partnerDomains)
    .values(domains.map((domain) => ({ domain, partnerId: row.id })))
    .onConflictDoNothing()
    .returning({ domain: partnerDomains.domain });
  return registered.length === domains.length;
}

export type PartnerKey = typeof partnerKeys.$inferSelect;

export async function insertPartnerKey(tx: Tx, row: typeof partnerKeys.$inferInsert): Promise<void> {
  await tx.insert(partnerKeys).values(row);
}

/** Has a partner's present keys of one kind expire. */
export async function expirePartnerKeys(
  tx: Tx,
  { partnerId, kind, expiresAt }: { partnerId: string; kind: PartnerKey["kind"]; expiresAt: Date },
): Promise<void> {
  const present = or(isNull(partnerKeys.expiresAt), gt(partnerKeys.expiresAt, expiresAt));
  await tx
    .update(partnerKeys)
    .set({ expiresAt })
    .where(and(eq(partnerKeys.partnerId, partnerId), eq(partnerKeys.kind, kind), present));
}

const isValid = (now: Date) => or(isNull(partnerKeys.expiresAt), gt(partnerKeys.expiresAt, now));

/** A partner's valid keys of one kind, newest first. */
export async function listPartnerKeys(
  on: Executor,
  { partnerId, kind, now }: { partnerId: string; kind: PartnerKey["kind"]; now: Date },
): Promise<PartnerKey[]> {
  return on
    .select()
    .from(partnerKeys)
    .where(and(eq(partnerKeys.partnerId, partnerId), eq(partnerKeys.kind, kind), isValid(now)))
    .orderBy(desc(partnerKeys.createdAt), desc(partnerKeys.id));
}

/** The key of one kind that a partner was given last, also when its time is over; null before the first. */
export async function findNewestPartnerKey(
  on: Executor,
  { partnerId, kind }: { partnerId: string; kind: PartnerKey["kind"] },
): Promise<PartnerKey | null> {
  const [row] = await on
    .select()
    .from(partnerKeys)
    .where(and(eq(partnerKeys.partnerId, partnerId), eq(partnerKeys.kind, kind)))
    .orderBy(desc(partnerKeys.createdAt), desc(partnerKeys.id))
    .limit(1);
  return row ?? null;
}

export type PartnerKeyFacts = Pick<PartnerKey, "id" | "kind" | "scopes" | "createdAt" | "expiresAt" | "usedAt">;

/** A partner's valid keys of both kinds without their values, newest first. */
export async function listKeyFacts(
  on: Executor,
  { partnerId, now }: { partnerId: string; now: Date },
): Promise<PartnerKeyFacts[]> {
  const { id, kind, scopes, createdAt, expiresAt, usedAt } = partnerKeys;
  return on
    .select({ id, kind, scopes, createdAt, expiresAt, usedAt })
    .from(partnerKeys)
    .where(and(eq(partnerKeys.partnerId, partnerId), isValid(now)))
    .orderBy(desc(createdAt), desc(id));
}

/** Records about when API keys were used last. */
export async function recordPartnerKeyUses(on: Executor, ids: readonly string[], now: Date): Promise<void> {
  await on
    .update(partnerKeys)
    .set({ usedAt: now })
    .where(sql`${partnerKeys.id} in (select json_array_elements_text(${JSON.stringify(ids)}::json))`);
}

/** The active partner that holds a valid API key with this hash, and the key's id and scopes. */
export async function findPartnerByKey(
  on: Executor,
  value: string,
  now: Date,
): Promise<{ partnerId: string; keyId: string; scopes: PartnerKey["scopes"] } | null> {
  const [row] = await on
    .select({ partnerId: partners.id, keyId: partnerKeys.id, scopes: partnerKeys.scopes })
    .from(partnerKeys)
    .innerJoin(partners, eq(partners.id, partnerKeys.partnerId))
    .where(
      and(
        isOneOf(partnerKeys.kind, ["api"]),
        eq(partnerKeys.value, value),
        eq(partners.status, "ACTIVE"),
        isValid(now),
      ),
    )
    .limit(1);
  return row ?? null;
}

export async function lockPartner(tx: Tx, id: string): Promise<Partner | null> {
  const [row] = await tx.select().from(partners).where(eq(partners.id, id)).for("update");
  return row ?? null;
}

/** Locks the partners whose enabled endpoint has only failed since an instant. */
export const lockFailingPartners = (tx: Tx): Promise<Pick<Partner, "id" | "failingSince">[]> =>
  tx
    .select({ id: partners.id, failingSince: partners.failingSince })
    .from(partners)
    .where(and(eq(partners.status, "ACTIVE"), eq(partners.webhookStatus, "ACTIVE"), isNotNull(partners.failingSince)))
    .orderBy(partners.id)
    .for("update");

export async function updatePartner(
  on: Executor,
  id: string,
  change: Partial<Omit<typeof partners.$inferInsert, "id">>,
): Promise<void> {
  await on.update(partners).set(change).where(eq(partners.id, id));
}
