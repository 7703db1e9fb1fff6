/** When workers last did each chore. Every instant is the database's: the processes that compare them share no other clock. */
import { sql } from "drizzle-orm";
import type { Db } from "../../client.ts";
import { chores } from "../../schema/tables.ts";

/** Adds the chores that no worker has started before. */
export async function insertChores(db: Db, names: readonly string[]): Promise<void> {
  const rows = names.map((name) => ({ name, startedAt: sql`now()` }));
  await db.insert(chores).values(rows).onConflictDoNothing();
}

/** Records that a worker did a chore just now. */
export async function recordChoreSuccess(db: Db, name: string, worker: string): Promise<void> {
  const done = { succeededAt: sql`now()`, worker };
  await db
    .insert(chores)
    .values({ name, startedAt: sql`now()`, ...done })
    .onConflictDoUpdate({ target: chores.name, set: done });
}

/** How long ago a chore was last done. */
export interface ChoreAge {
  name: string;
  /** Seconds since the last success; before the first one, since a worker first started the chore. */
  seconds: number;
  succeeded: boolean;
  /** The worker of the last success; null before the first. */
  worker: string | null;
}

/** Every chore that a worker ever started. */
export async function listChoreAges(db: Db): Promise<ChoreAge[]> {
  const age = sql<number>`extract(epoch from now() - coalesce(${chores.succeededAt}, ${chores.startedAt}))::float8`;
  return db
    .select({
      name: chores.name,
      seconds: age,
      succeeded: sql<boolean>`${chores.succeededAt} is not null`,
      worker: chores.worker,
    })
    .from(chores)
    .orderBy(chores.name);
}
