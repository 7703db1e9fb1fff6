/** Families: the partitioned tables of which a month leaves the database together, and whether all its rows are final. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { listFinalStates } from "@cardkeep/contract/core/machine";
import { transferMachine } from "@cardkeep/contract/spending/spending";
import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../client.ts";
import { addMonths, boundOf, type Month, type PartitionedTable } from "../partitions.ts";
import { spell } from "../schema/columns.ts";
import { openDisputeStatuses } from "../schema/spending/disputes.ts";

export type FamilyName = "payments" | "relay";

interface Family {
  /** Each table comes after those that it refers to. */
  readonly tables: readonly [PartitionedTable, ...PartitionedTable[]];
  /** Months that stay besides the present one, however few are asked for, and the reason in words. */
  readonly monthsMin: number;
  readonly whyYoung: string;
  /** Condition: some row with a key in this range may still change. */
  readonly isOpen: (isWithin: (key: SQL) => SQL) => SQL;
}

const finalTransfers = sql.raw(spell(listFinalStates(transferMachine)));
const openDisputes = sql.raw(spell(openDisputeStatuses));

/** Events and deliveries belong to none: workers delete them after 30 days. */
export const families: Readonly<Record<FamilyName, Family>> = {
  payments: {
    tables: ["card_payments", "card_clearings", "card_decisions", "card_transfers", "ledger_entries"],
    // A person of the EEA may report a debit for 13 months, and a payment may be captured in the month after it.
    monthsMin: 14,
    whyYoung: "payments stay for 14 months: fraud may be reported for 13",
    isOpen: (isWithin) => sql`
      exists (select 1 from card_payments where ${isWithin(sql`id`)} and (status in ('REQUESTED', 'AUTHORIZED') or owed > 0))
      or exists (select 1 from card_clearings where ${isWithin(sql`payment_id`)} and kind = 'capture'
        and posted_at > now() - interval '13 months')
      or exists (select 1 from card_transfers where ${isWithin(sql`payment_id`)} and status not in (${finalTransfers}))
      or exists (select 1 from card_disputes where ${isWithin(sql`payment_id`)} and status in (${openDisputes}))
      or exists (select 1 from card_cases where ${isWithin(sql`payment_id`)} and status = 'OPEN')
      -- What left the database could not be posted any more to the firm's books.
      or exists (select 1 from unnest(array['entries', 'clearings', 'credits', 'disputes']) needed where not exists (
        select 1 from book_cursors where source = needed and reached_at >= now() - interval '1 day'))`,
  },
  relay: {
    tables: ["relay_transactions", "relay_attempts"],
    monthsMin: 2,
    whyYoung: "its rows still change",
    isOpen: (isWithin) => sql`exists (select 1 from open_relays where ${isWithin(sql`relay_transaction_id`)})`,
  },
};

export const familyNames = keysOf(families);

/** Whether some row of a month may still change. */
export async function hasOpenRows(on: Pick<Db, "execute">, family: FamilyName, month: Month): Promise<boolean> {
  const { tables, isOpen } = families[family];
  const [from, to] = [boundOf(tables[0], month), boundOf(tables[0], addMonths(month, 1))];
  const [row] = await on.execute<{ open: boolean }>(
    sql`select ${isOpen((key) => sql`(${key} >= ${from} and ${key} < ${to})`)} as open`,
  );
  return row?.open ?? true;
}
