/**
 * The role of servers, workers and commands: it reads and writes rows, and owns nothing.
 *
 * It cannot change a table, a trigger or a function, and cannot truncate. Of what has to stay it may not change or delete rows.
 * Partitions are made, archived and restored by functions of the owner.
 */
import postgres from "postgres";
import { grantRows } from "./grantRows.ts";
import { sessionSettings } from "./lostMachine.ts";
import { grantQueue } from "./queue/grantQueue.ts";

/**
 * The rights on rows of the tables that keep what is in them; all other tables have all four. Of a table whose guards look at
 * some columns only these may change.
 */
const keptTables = {
  operator_actions: "select, insert",
  operator_approvals: "select, insert, update",
  operator_chain: "select, update (sequence, hash)",
  ledger_entries: "select, insert",
  statements: "select, insert, delete",
  statement_volumes: "select, insert, delete",
  book_accounts: "select, insert",
  book_postings: "select, insert",
  book_lines: "select, insert",
  book_witness_entries: "select, insert",
  book_days: 'select, insert, update ("after", postings, lines, roots, closed_at)',
  book_closes: "select, insert",
  book_items: "select, insert, update",
  card_threads: "select, insert",
  relay_nonces: "select, insert",
} as const;

/** The functions of the owner: of a month of a partitioned table each does one step. */
const ownerFunctions = "add_month, lock_month, drop_month, begin_month, end_month";

/** SQLSTATEs: the role may not; another run made the role at the same time. */
const forbidden = "42501";
const existsAlready: readonly string[] = ["42710", "23505"];

/** The role's name unless a setting gives another. */
export const serviceRoleDefault = "cardkeep_service";

/**
 * Gives the role its rights on everything of the product that there is now, and takes all others from it. It makes the role
 * where it may; a password is up to the operator.
 *
 * @returns false where there is no such role and this one may not make it, or where it is this one
 */
export async function grantServiceRole(client: postgres.Sql, role: string): Promise<boolean> {
  if (!(await ensureRole(client, role))) return false;
  const name = `"${role}"`;
  const partitions = await client<{ name: string }[]>`
    select quote_ident(relname) as name from pg_class
    where relispartition and relkind = 'r' and relnamespace = 'public'::regnamespace`;
  // A database of an earlier version lacks the newest tables.
  const present = await client<{ name: string }[]>`
    select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`;
  const kept = Object.entries(keptTables).filter(([table]) => present.some(({ name: known }) => known === table));
  await client.begin(async (tx) => {
    await grantRows(tx, "public", role);
    await grantQueue(tx, role);
    await tx.unsafe(`grant usage on schema drizzle to ${name}`);
    await tx.unsafe(`grant select on all tables in schema drizzle to ${name}`);
    // Rows go through the parent, whose rights count alone.
    const parts = partitions.map((partition) => partition.name);
    if (parts.length > 0) await tx.unsafe(`revoke insert, update, delete on ${parts.join(", ")} from ${name}`);
    for (const [table, rights] of kept) {
      await tx.unsafe(`revoke all on ${table} from ${name}`);
      await tx.unsafe(`grant ${rights} on ${table} to ${name}`);
    }
    await tx.unsafe(`grant execute on function ${ownerFunctions} to ${name}`);
  });
  await setSessions(client, role);
  return true;
}

/**
 * Gives the role's sessions the limits of lostMachine.ts, in this database. Processes set them on their own connections too;
 * behind a pooler these are the only ones. Where this role may not, the operator does: `doctor` names the statements.
 */
async function setSessions(client: postgres.Sql, role: string): Promise<void> {
  const [database] = await client<{ name: string }[]>`select quote_ident(current_database()) as name`;
  if (!database) return;
  try {
    for (const setting of sessionSettings)
      await client.unsafe(`alter role "${role}" in database ${database.name} set ${setting}`);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError && error.code === forbidden)) throw error;
  }
}

/** Gives the role its rights on the rows of a further schema, if there is such a role. */
export async function grantSchema(client: postgres.Sql, schema: string, role: string): Promise<void> {
  const [isOther] = await client`select from pg_roles where rolname = ${role} and rolname <> current_user`;
  if (isOther) await client.begin((tx) => grantRows(tx, schema, role));
}

/** False where the role is this one, or is missing and this one may not make it. */
async function ensureRole(client: postgres.Sql, role: string): Promise<boolean> {
  const [existing] = await client<{ isThis: boolean }[]>`
    select rolname = current_user as "isThis" from pg_roles where rolname = ${role}`;
  if (existing) return !existing.isThis;
  try {
    await client`create role ${client(role)} login`;
    return true;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    if (existsAlready.includes(error.code)) return true;
    if (error.code === forbidden) return false;
    throw error;
  }
}
