import type postgres from "postgres";
import { grantRows } from "../grantRows.ts";

/** Gives a role its rights on the queue's rows. Row security shows them to their owner alone, so each table gets a policy. */
export async function grantQueue(tx: postgres.TransactionSql, role: string): Promise<void> {
  await grantRows(tx, "graphile_worker", role);
  const closed = await tx<{ table: string }[]>`
    select format('%I.%I', nspname, relname) as table from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'graphile_worker' and relrowsecurity
      and not exists (select from pg_policy where polrelid = pg_class.oid and polname = ${role})`;
  for (const { table } of closed)
    await tx.unsafe(`create policy "${role}" on ${table} to "${role}" using (true) with check (true)`);
}
