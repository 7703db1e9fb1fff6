/** Accounts on their way to the chain that may share a transaction. */
import { sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { selectRows } from "../../rows.ts";
import { isOneOf } from "../../schema/columns.ts";
import { deployingStatuses } from "../../schema/accounts/safes.ts";
import { openRelays, relaySubjects, safes } from "../../schema/tables.ts";
import { type CurrencySafe, hasCurrency } from "./safes.ts";

const isAmong = (ids: readonly string[]) =>
  sql`${safes.id} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`;

/** The oldest Safes that the operator sets up, that no transaction carries, and that the chain has not refused before. */
export async function listToDeploy(
  on: Executor,
  { ids, countMax }: { ids?: readonly string[]; countMax: number },
): Promise<CurrencySafe[]> {
  const rows = await selectRows(
    on,
    safes,
    sql`where ${isOneOf(safes.status, deployingStatuses)} and ${safes.status} = 'processing' and ${safes.setUpBy} = 'operator'
      and ${safes.attempts} = 0 and ${ids === undefined ? sql`true` : isAmong(ids)}
      and not exists (select from ${relaySubjects} join ${openRelays}
        on ${openRelays.relayTransactionId} = ${relaySubjects.relayTransactionId} where ${relaySubjects.subjectId} = ${safes.id})
      order by ${safes.createdAt}, ${safes.id} limit ${countMax}`,
  );
  return rows.filter(hasCurrency);
}

/** Locks the Safes that no other transaction has locked. Returns their ids. */
export async function lockFreeSafes(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx
    .select({ id: safes.id })
    .from(safes)
    .where(isAmong(ids))
    .orderBy(safes.id)
    .for("no key update", { skipLocked: true });
  return rows.map(({ id }) => id);
}
