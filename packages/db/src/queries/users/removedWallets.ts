/** Sign-in wallets that were removed: their tokens end on every server. */
import { lt, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { removedSignInWallets } from "../../schema/tables.ts";

/** One look at the removals; its times are by the database's clock. */
export interface RemovalLook {
  readonly ids: string[];
  readonly readAtMs: number;
  /** When the oldest transaction began that was under way; null where this role sees none. */
  readonly oldestStartMs: number | null;
}

/**
 * The wallets that were removed at `sinceMs` or later, null meaning ever. The transactions are read first: one that is under way
 * is then in the answer's times or among its removals, also where it ends in between.
 */
export async function listRemovedSignInWallets(on: Executor, sinceMs: number | null): Promise<RemovalLook> {
  const [times] = await on.execute<{ readAtMs: number; oldestStartMs: number | null }>(sql`
    select (extract(epoch from now()) * 1000)::float8 as "readAtMs", (
      select extract(epoch from min(xact_start)) * 1000 from pg_stat_activity
      where datname = current_database())::float8 as "oldestStartMs"`);
  const [removed] = await on.execute<{ ids: string[] }>(sql`
    select coalesce(json_agg(id), '[]') as ids from removed_sign_in_wallets
    where removed_at >= coalesce(to_timestamp(${sinceMs}::float8 / 1000), '-infinity')`);
  if (!times || !removed) throw new Error("A select of one row answered none");
  return { ...times, ...removed };
}

/** Forgets the removals of more than `keptMs` ago. */
export async function forgetRemovedSignInWallets(on: Executor, keptMs: number): Promise<void> {
  const before = sql`now() - make_interval(secs => ${keptMs / 1000})`;
  await on.delete(removedSignInWallets).where(lt(removedSignInWallets.removedAt, before));
}
