/** Migrates a database to this version: extensions, our tables with the partitions of the next months, then the queue's. */
import { drizzle } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { applyMigrations, readMigrations } from "./applyMigrations.ts";
import { openSession } from "./openSession.ts";
import { createExtensions } from "./extensions.ts";
import { compareSet, type MigrationSet, productMigrations } from "./migrations.ts";
import { createPartitions } from "./partitions.ts";
import { grantSchema, grantServiceRole, serviceRoleDefault } from "./serviceRole.ts";
import { migrateName, migrateQueue } from "./queue/migrate.ts";

/** The database was made by migrations that this program does not have; an older version had others. */
export class ForeignDatabaseError extends Error {
  constructor() {
    super("The database is of another version, with other migrations: use an empty database, or start that version");
  }
}

/**
 * Applies drizzle/ and the queue's migrations; a second run, or one beside it, changes nothing.
 *
 * @param sessionUrl an address past any pooler: runs take turns by a lock of their session
 * @param serviceRole the role of servers and workers
 * @param options.onFile gets the name of each file before it is applied
 * @param options.onWait gets once which session has the turn, where this run has to wait for it
 * @param options.set other files than the product's, in a test of this way
 * @returns whether that role has its rights; false where this one is that role or may not make it
 * @throws Error when the database is newer than this program; it stays as it is
 * @throws TablesInUse when long transactions hold its tables throughout; the files before stay
 * @throws ForeignDatabaseError when none of this program's migrations fits; it stays as it is
 * @throws FileRecorded when another run applied a file at the same time; this one leaves the file to it
 * @throws ExtensionMissing when this role may not create an extension; it stays as it is
 */
export const migrate = (
  sessionUrl: string,
  serviceRole = serviceRoleDefault,
  {
    onFile,
    onWait,
    set = productMigrations,
  }: { onFile?: (name: string) => void; onWait?: (holder: string) => void; set?: MigrationSet } = {},
): Promise<boolean> =>
  inTurn(
    sessionUrl,
    async (client) => {
      await applySet(client, set, { prepare: createExtensions, onFile });
      await createPartitions(drizzle(client), new Date());
      await migrateQueue(client, sessionUrl);
      return grantServiceRole(client, serviceRole);
    },
    onWait,
  );

/**
 * Applies the migrations of the sandbox's tables, which `folder` holds. Production never does.
 *
 * @throws Error and ForeignDatabaseError as `migrate`
 */
export const migrateSandbox = (sessionUrl: string, folder: string): Promise<void> =>
  inTurn(sessionUrl, async (client) => {
    await applySet(client, { folder, table: "sandbox_migrations" });
    await grantSchema(client, "sandbox", serviceRoleDefault);
  });

const turnLock = "cardkeep:migrate";

/** How long a run that waits for its turn rests between two looks. */
const turnMs = 200;

/**
 * Runs hold one advisory lock, so instances that start together take turns. Who waits asks again and again: a statement that
 * waits for the lock has a snapshot, for whose end `create index concurrently` of the holder waits.
 */
async function inTurn<T>(
  sessionUrl: string,
  work: (client: postgres.Sql) => Promise<T>,
  onWait: (holder: string) => void = () => {},
): Promise<T> {
  const client = openSession(sessionUrl, { applicationName: migrateName });
  try {
    const take = () => client`select where pg_try_advisory_lock(hashtextextended(${turnLock}, 0))`;
    let isNamed = false;
    while ((await take()).length === 0) {
      const holder: string | null = isNamed ? null : await findHolder(client);
      if (holder !== null) onWait(holder);
      isNamed ||= holder !== null;
      await Bun.sleep(turnMs);
    }
    return await work(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** The session that has the turn, in words; null where it has just ended. */
async function findHolder(client: postgres.Sql): Promise<string | null> {
  const [row] = await client<{ holder: string }[]>`
    select format('session %s (%s)', pid, application_name) as holder from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = hashtextextended(${turnLock}, 0)`;
  return row?.holder ?? null;
}

async function applySet(
  client: postgres.Sql,
  set: MigrationSet,
  {
    prepare = async () => {},
    onFile,
  }: { prepare?: (client: postgres.Sql) => Promise<void>; onFile?: ((name: string) => void) | undefined } = {},
): Promise<void> {
  const db = drizzle(client);
  const state = await compareSet(db, set);
  if (state === "ahead") throw new Error("The database is newer than this program: start the newer program");
  if (state === "foreign") throw new ForeignDatabaseError();
  await prepare(client);
  await applyMigrations(client, readMigrations(set.folder), { table: set.table, onFile });
}
