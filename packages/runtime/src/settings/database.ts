/** Settings of the database: its addresses and the connections of a process. */
import { DatabaseAddressError, parseDatabaseAddress } from "@cardkeep/db/databaseAddress";
import { serviceRoleDefault } from "@cardkeep/db/serviceRole";
import { z } from "zod";
import { connectionsMin } from "./connections.ts";
import type { Values } from "./types.ts";

/** The address of a database, kept as text. */
const databaseUrl = z.string().superRefine((text, context) => {
  try {
    parseDatabaseAddress(text);
  } catch (error) {
    if (!(error instanceof DatabaseAddressError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
  }
});

export const databaseEnvironment = {
  DATABASE_URL: databaseUrl
    .optional()
    .describe(
      "A Postgres of your own, as postgres://user:password@host:port/database. It may name several nodes of a cluster, " +
        "host:port,host:port, or be a proxy or PgBouncer 1.21 or later; unset: an embedded one",
    ),
  DATABASE_SESSION_URL: databaseUrl
    .optional()
    .describe("Address past the pooler, for queue, heartbeats, LISTEN and migrations; unset: DATABASE_URL"),
  DATABASE_READ_URL: databaseUrl
    .optional()
    .describe(
      "A read replica for lists. It answers only what it has of the primary's latest commit; unset: the primary answers",
    ),
  DATABASE_CONNECTIONS: z.coerce
    .number<string>()
    .int()
    .min(connectionsMin)
    .max(1_000)
    .optional()
    .describe("Connections that one server or one worker may hold; unset: 11 for a server and 20 for a worker"),
  DATABASE_SERVICE_ROLE: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,62}$/, "must be the name of a role: lower-case letters, digits and _")
    .default(serviceRoleDefault)
    .describe("The role of servers and workers in Postgres: migrate gives it rights on rows, and it owns nothing"),
  SERVICE_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      "Of `bun start` with DATABASE_URL: the same database by the role of servers and workers; unset: they use DATABASE_URL",
    ),
  SANDBOX_DATABASE_URL: databaseUrl
    .optional()
    .describe("A Postgres for what the sandbox's partners know; unset: the database of DATABASE_URL"),
};

/** The settings of the database. */
export const readDatabase = (e: Values<typeof databaseEnvironment>) => ({
  databaseUrl: e.DATABASE_URL,
  databaseSessionUrl: e.DATABASE_SESSION_URL ?? e.DATABASE_URL,
  /** Null: the primary answers lists too. */
  databaseReadUrl: e.DATABASE_READ_URL ?? null,
  /** Null: the default of each kind of process. */
  databaseConnections: e.DATABASE_CONNECTIONS ?? null,
  databaseServiceRole: e.DATABASE_SERVICE_ROLE,
  serviceDatabaseUrl: e.SERVICE_DATABASE_URL,
  sandboxDatabaseUrl: e.SANDBOX_DATABASE_URL,
});

/** The faults of database settings that need each other. */
export const listDatabaseFaults = (e: Values<typeof databaseEnvironment>): string[] =>
  (["DATABASE_SESSION_URL", "DATABASE_READ_URL", "SERVICE_DATABASE_URL"] as const)
    .filter((name) => e.DATABASE_URL === undefined && e[name] !== undefined)
    .map((name) => `${name}: needs DATABASE_URL, the address of everything else`);
