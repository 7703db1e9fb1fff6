import type postgres from "postgres";

/** Gives a role the rights on the rows of all tables of a schema, and takes all others from it. */
export async function grantRows(tx: postgres.TransactionSql, schema: string, role: string): Promise<void> {
  const name = `"${role}"`;
  await tx.unsafe(`grant usage on schema ${schema} to ${name}`);
  await tx.unsafe(`revoke all on all tables in schema ${schema} from ${name}`);
  await tx.unsafe(`grant select, insert, update, delete on all tables in schema ${schema} to ${name}`);
  await tx.unsafe(`grant usage, select on all sequences in schema ${schema} to ${name}`);
}
