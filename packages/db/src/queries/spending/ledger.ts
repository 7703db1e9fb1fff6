/** The ledger as a list: entries of all payments, newest payment first. */
import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import type { LedgerAccount } from "../../schema/spending/ledger.ts";
import { ledgerEntries, safes } from "../../schema/tables.ts";
import { firstIdAt } from "../../timeIds.ts";
import type { Safe } from "../accounts/safes.ts";
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

const isWithin = ({ safe, paymentId, from, until }: LedgerFilter): SQL | undefined =>
  and(
    safe === null
      ? undefined
      : // The user leads to one node where the table is distributed.
        and(eq(ledgerEntries.safeId, safe.id), eq(ledgerEntries.userId, safe.userId)),
    paymentId === null ? undefined : eq(ledgerEntries.paymentId, paymentId),
    from === null ? undefined : gte(ledgerEntries.paymentId, firstIdAt(from.getTime())),
    until === null ? undefined : lt(ledgerEntries.paymentId, firstIdAt(until.getTime())),
  );

/** The position of an entry that is known already. */
interface LedgerPosition {
  readonly paymentId: string;
  readonly id: string;
}

const isBelow = ({ paymentId, id }: LedgerPosition): SQL =>
  sql`(${ledgerEntries.paymentId}, ${ledgerEntries.id}) < (${paymentId}, ${id})`;

/** Condition: an entry of a Safe was booked before another one of the Safe. */
function isBookedBefore(last: LedgerPosition, { userId }: Pick<Safe, "userId">): SQL {
  const { createdAt } = ledgerEntries;
  const at = sql`(select created_at from ${ledgerEntries} last
    where last.payment_id = ${last.paymentId} and last.id = ${last.id} and last.user_id = ${userId})`;
  // The first condition is for the index.
  return sql`${createdAt} <= ${at} and (${createdAt} < ${at} or ${isBelow(last)})`;
}

/**
 * Entries that pass the filter, newest payment first; those of a Safe newest first, as its index has them. `after` names the last
 * one that is known already.
 */
export async function listLedger(
  on: Executor,
  { after, limit, ...filter }: LedgerFilter & { after: LedgerPosition | null; limit: number },
): Promise<LedgerRow[]> {
  const rows = await on
    .select({ entry: ledgerEntries, address: safes.address, tokenSymbol: safes.tokenSymbol })
    .from(ledgerEntries)
    .innerJoin(safes, eq(safes.id, ledgerEntries.safeId))
    .where(
      and(
        isWithin(filter),
        after === null ? undefined : filter.safe === null ? isBelow(after) : isBookedBefore(after, filter.safe),
      ),
    )
    .orderBy(
      ...(filter.safe === null ? [] : [desc(ledgerEntries.createdAt)]),
      desc(ledgerEntries.paymentId),
      desc(ledgerEntries.id),
    )
    .limit(limit);
  return rows.map(({ entry, ...safe }) => ({ ...entry, ...safe }));
}

/** What one Safe's or one payment's entries come to on each account; of more than `countMax` entries, one more is added up. */
export async function sumLedger(
  on: Executor,
  filter: LedgerFilter,
  countMax: number,
): Promise<Record<LedgerAccount, bigint> & { count: number }> {
  const { safe, held, settlement, owed, advanced, writtenOff } = ledgerEntries;
  const entries = on
    .select({ safe, held, settlement, owed, advanced, writtenOff })
    .from(ledgerEntries)
    .where(isWithin(filter))
    .limit(countMax + 1)
    .as("entries");
  const sumOf = (account: LedgerAccount) => sql<string>`coalesce(sum(${entries[account]}), 0)::text`;
  const [row] = await on
    .select({
      safe: sumOf("safe"),
      held: sumOf("held"),
      settlement: sumOf("settlement"),
      owed: sumOf("owed"),
      advanced: sumOf("advanced"),
      writtenOff: sumOf("writtenOff"),
      count: sql<number>`count(*)::int`,
    })
    .from(entries);
  const read = (account: LedgerAccount): bigint => BigInt(row?.[account] ?? "0");
  return {
    safe: read("safe"),
    held: read("held"),
    settlement: read("settlement"),
    owed: read("owed"),
    advanced: read("advanced"),
    writtenOff: read("writtenOff"),
    count: row?.count ?? 0,
  };
}
