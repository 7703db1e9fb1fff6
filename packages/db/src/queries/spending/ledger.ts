/** The ledger as a list: entries of all payments, newest payment first. */
import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import type { LedgerAccount } from "../../schema/spending/ledger.ts";
import { ledgerEntries, safes } from "../../schema/tables.ts";
import type { Safe } from "../safes.ts";
import type { LedgerEntry } from "./paymentParts.ts";

/** Conditions on ledger entries; null for none. */
export interface LedgerFilter {
  readonly safe: Pick<Safe, "id" | "userId"> | null;
  readonly paymentId: string | null;
  /** Of payments that were made within; ids of payments begin with their time. */
  readonly from: Date | null;
  readonly until: Date | null;
}

export type LedgerRow = LedgerEntry & Pick<Safe, "address" | "tokenSymbol">;

/** The lowest payment id of an instant. */
function firstIdAt(at: Date): string {
  const digits = at.getTime().toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

const isWithin = ({ safe, paymentId, from, until }: LedgerFilter): SQL | undefined =>
  and(
    safe === null
      ? undefined
      : // The user leads to one node where the table is distributed.
        and(eq(ledgerEntries.safeId, safe.id), eq(ledgerEntries.userId, safe.userId)),
    paymentId === null ? undefined : eq(ledgerEntries.paymentId, paymentId),
    from === null ? undefined : gte(ledgerEntries.paymentId, firstIdAt(from)),
    until === null ? undefined : lt(ledgerEntries.paymentId, firstIdAt(until)),
  );

/** Entries that pass the filter; `after` names the last one that is known already. */
export async function listLedger(
  on: Executor,
  { after, limit, ...filter }: LedgerFilter & { after: { paymentId: string; id: string } | null; limit: number },
): Promise<LedgerRow[]> {
  // The same order in another collation, so that Postgres does not scan the index of all entries for those of one Safe.
  const order = filter.safe === null ? ledgerEntries.paymentId : sql`${ledgerEntries.paymentId} collate "C"`;
  const rows = await on
    .select({ entry: ledgerEntries, address: safes.address, tokenSymbol: safes.tokenSymbol })
    .from(ledgerEntries)
    .innerJoin(safes, eq(safes.id, ledgerEntries.safeId))
    .where(
      and(
        isWithin(filter),
        after === null
          ? undefined
          : sql`(${ledgerEntries.paymentId}, ${ledgerEntries.id}) < (${after.paymentId}, ${after.id})`,
      ),
    )
    .orderBy(desc(order), desc(ledgerEntries.id))
    .limit(limit);
  return rows.map(({ entry, ...safe }) => ({ ...entry, ...safe }));
}

/** What one Safe's or one payment's entries come to on each account. */
export async function sumLedger(
  on: Executor,
  filter: LedgerFilter,
): Promise<Record<LedgerAccount, bigint> & { count: number }> {
  const sumOf = (account: LedgerAccount) => sql<string>`coalesce(sum(${ledgerEntries[account]}), 0)::text`;
  const [row] = await on
    .select({
      safe: sumOf("safe"),
      held: sumOf("held"),
      settlement: sumOf("settlement"),
      owed: sumOf("owed"),
      advanced: sumOf("advanced"),
      count: sql<number>`count(*)::int`,
    })
    .from(ledgerEntries)
    .where(isWithin(filter));
  const read = (account: LedgerAccount): bigint => BigInt(row?.[account] ?? "0");
  return {
    safe: read("safe"),
    held: read("held"),
    settlement: read("settlement"),
    owed: read("owed"),
    advanced: read("advanced"),
    count: row?.count ?? 0,
  };
}
