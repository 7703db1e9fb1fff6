import { sql } from "drizzle-orm";
import type { Db } from "../../client.ts";

/** How the server passes its write-ahead log on. */
export interface Replication {
  /** Connected physical standbys. A base backup and logical replication are none. */
  standbys: number;
  /** Those that a commit waits for; null where the role may not see it, which needs `pg_monitor`. */
  synchronousStandbys: number | null;
  /** Whether a commit waits for a standby before it is answered. */
  isSynchronous: boolean;
}

/** Reads `pg_stat_replication`. A role without `pg_read_all_stats` sees there how many standbys are connected, and no more. */
export async function readReplication(db: Db): Promise<Replication> {
  const [row] = await db.execute<Replication & Record<string, unknown>>(sql`
    select count(*)::int as standbys,
      case when pg_has_role('pg_read_all_stats', 'usage')
        then (count(*) filter (where sync_state in ('sync', 'quorum')))::int end as "synchronousStandbys",
      current_setting('synchronous_standby_names') <> ''
        and current_setting('synchronous_commit') not in ('off', 'local') as "isSynchronous"
    from pg_stat_replication r
    where state is distinct from 'backup'
      and not exists (select from pg_replication_slots s where s.active_pid = r.pid and s.slot_type = 'logical')`);
  return row ?? { standbys: 0, synchronousStandbys: 0, isSynchronous: false };
}
