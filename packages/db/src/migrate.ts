/** Migrates a database to this version: extensions, our tables with the partitions of the next months, then the queue's. */
import { drizzle } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { applyMigrations, readMigrations } from "./applyMigrations.ts";
import { openClient } from "./openClient.ts";
import { createExtensions } from "./extensions.ts";
import { compareSet, type MigrationSet, productMigrations } from "./migrations.ts";
import { createPartitions } from "./partitions.ts";
import { grantSchema, grantServiceRole, serviceRoleDefault } from "./serviceRole.ts";
import { migrateQueue } from "./queue/migrate.ts";

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
 * @param options.set other files than the product's, in a test of this way
 * @returns whether that role has its rights; false where this one is that role or may not make it
 * @throws Error when the database is newer than this program; it stays as it is
 * @throws TablesInUse when long transactions hold its tables throughout; the files before stay
 * @throws ForeignDatabaseError when none of this program's migrations fits; it stays as it is
 * @throws ExtensionMissing when this role may not create an extension; it stays as it is
 */
export const migrate = (
  sessionUrl: string,
  serviceRole = serviceRoleDefault,
  { onFile, set = productMigrations }: { onFile?: (name: string) => void; set?: MigrationSet } = {},
): Promise<boolean> =>
  inTurn(sessionUrl, async (client) => {
    await applySet(client, set, { prepare: createExtensions, onFile });
    await createPartitions(drizzle(client), new Date());
    await migrateQueue(client, sessionUrl);
    return grantServiceRole(client, serviceRole);
  });

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

/** How long a run that waits for its turn rests between two looks. */
const turnMs = 200;

/**
 * Runs hold one advisory lock, so instances that start together take turns. Who waits asks again and again: a statement that
 * waits for the lock has a snapshot, for whose end `create index concurrently` of the holder waits.
 */
async function inTurn<T>(sessionUrl: string, work: (client: postgres.Sql) => Promise<T>): Promise<T> {
  const client = openClient(sessionUrl, { max: 1 });
  try {
    const take = () => client`select where pg_try_advisory_lock(hashtextextended('cardkeep:migrate', 0))`;
    while ((await take()).length === 0) await Bun.sleep(turnMs);
    return await work(client);
  } finally {
    await client.end({ timeout: 5 });
  }
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
