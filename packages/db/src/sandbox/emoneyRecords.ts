/** Documents of the sandbox's e-money institution. */
import { and, asc, desc, eq, sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { emoneyRecords, isOfKind } from "./tables.ts";

export type EmoneyRecord = typeof emoneyRecords.$inferSelect;

/** Keeps a document of the e-money institution, in place of one of the same kind and id. */
export async function putEmoneyRecord(
  on: Executor,
  row: { kind: string; id: string; profile?: string | null; data: Record<string, unknown> },
): Promise<void> {
  const { profile = null, data } = row;
  await on
    .insert(emoneyRecords)
    .values({ ...row, profile })
    .onConflictDoUpdate({ target: [emoneyRecords.kind, emoneyRecords.id], set: { profile, data } });
}

/** Keeps a document unless there is one of its kind and id; false then. */
export async function insertEmoneyRecord(
  on: Executor,
  row: { kind: string; id: string; profile?: string | null; data: Record<string, unknown> },
): Promise<boolean> {
  return (await on.insert(emoneyRecords).values(row).onConflictDoNothing().returning()).length === 1;
}

export async function findEmoneyRecord(on: Executor, kind: string, id: string): Promise<EmoneyRecord | null> {
  const isIt = and(eq(emoneyRecords.kind, kind), eq(emoneyRecords.id, id));
  const [row] = await on.select().from(emoneyRecords).where(isIt).limit(1);
  return row ?? null;
}

/** Takes a document out, so that what it stands for serves once. */
export async function takeEmoneyRecord(on: Executor, kind: string, id: string): Promise<EmoneyRecord | null> {
  const isIt = and(eq(emoneyRecords.kind, kind), eq(emoneyRecords.id, id));
  const [row] = await on.delete(emoneyRecords).where(isIt).returning();
  return row ?? null;
}

/** The newest documents of a kind, newest first: of one profile or of all. */
export async function listNewestEmoneyRecords(
  on: Executor,
  { kind, profile, limit }: { kind: string; profile: string | null; limit: number },
): Promise<EmoneyRecord[]> {
  return on
    .select()
    .from(emoneyRecords)
    .where(and(eq(emoneyRecords.kind, kind), profile === null ? undefined : eq(emoneyRecords.profile, profile)))
    .orderBy(desc(emoneyRecords.sequence))
    .limit(limit);
}

/** The profiles of a mail address, oldest first. */
export async function listEmoneyProfilesOf(on: Executor, holder: string): Promise<EmoneyRecord[]> {
  return on
    .select()
    .from(emoneyRecords)
    .where(sql`${isOfKind(emoneyRecords.kind, "profile")} and ${emoneyRecords.data} ->> 'holder' = ${holder}`)
    .orderBy(asc(emoneyRecords.sequence));
}

/** The IBANs of an address on chain, newest first. */
export async function listIbansOfAddress(on: Executor, address: string, limit: number): Promise<EmoneyRecord[]> {
  return on
    .select()
    .from(emoneyRecords)
    .where(sql`${isOfKind(emoneyRecords.kind, "iban")} and ${emoneyRecords.data} ->> 'address' = ${address}`)
    .orderBy(desc(emoneyRecords.sequence))
    .limit(limit);
}

/** The documents of a kind, of one profile or of all, oldest first. */
export async function listEmoneyRecords(on: Executor, kind: string, profile?: string): Promise<EmoneyRecord[]> {
  return on
    .select()
    .from(emoneyRecords)
    .where(and(eq(emoneyRecords.kind, kind), profile === undefined ? undefined : eq(emoneyRecords.profile, profile)))
    .orderBy(asc(emoneyRecords.sequence));
}
