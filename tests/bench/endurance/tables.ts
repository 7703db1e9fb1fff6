/** Size and dead rows of a database's tables, its partitions counted with their table. */
import type postgres from "postgres";

export interface Table {
  readonly name: string;
  readonly rows: number;
  readonly deadRows: number;
  /** The table, its indexes and its TOAST. */
  readonly bytes: number;
  readonly indexBytes: number;
  readonly updates: number;
  /** Updates that wrote no index (HOT). */
  readonly hotUpdates: number;
  readonly deletes: number;
  readonly vacuums: number;
}

const tables = `
  select coalesce(parent.relname, s.relname) as name, sum(s.n_live_tup)::float8 as rows, sum(s.n_dead_tup)::float8 as "deadRows",
    sum(pg_total_relation_size(s.relid))::float8 as bytes, sum(pg_indexes_size(s.relid))::float8 as "indexBytes",
    sum(s.n_tup_upd)::float8 as updates, sum(s.n_tup_hot_upd)::float8 as "hotUpdates", sum(s.n_tup_del)::float8 as deletes,
    sum(s.autovacuum_count)::float8 as vacuums
  from pg_stat_user_tables s
  left join pg_inherits i on i.inhrelid = s.relid
  left join pg_class parent on parent.oid = i.inhparent
  group by 1`;

/** All tables. */
export const readTables = (client: postgres.Sql): Promise<Table[]> => client.unsafe<Table[]>(tables);
