/** The extensions that the tables need. Each is trusted and comes with Postgres, so the database's owner may create it. */
import postgres from "postgres";

/** Indexes of parts of words, for the operator's search. */
const extension = "pg_trgm";

/** SQLSTATE: the role may not. */
const forbidden = "42501";
/** SQLSTATEs for an extension whose files are not on the server, in Postgres 15 and later. */
const notInstalled: readonly string[] = ["0A000", "58P01"];

/** An extension is missing, and this role cannot create it. */
class ExtensionMissing extends Error {}

/**
 * Creates what is missing of the extensions. A second run changes nothing, and needs no right to create one.
 *
 * @throws ExtensionMissing
 */
export async function createExtensions(client: postgres.Sql): Promise<void> {
  const [existing] = await client`select from pg_extension where extname = ${extension}`;
  if (existing) return;
  try {
    await client`create extension if not exists ${client(extension)}`;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    if (error.code === forbidden) {
      throw new ExtensionMissing(
        `This role may not create the extension ${extension}: run \`create extension ${extension}\` in the database as its owner`,
        { cause: error },
      );
    }
    if (notInstalled.includes(error.code)) {
      throw new ExtensionMissing(
        `The database's server has no extension ${extension}: install Postgres' contrib package there`,
        { cause: error },
      );
    }
    throw error;
  }
}
