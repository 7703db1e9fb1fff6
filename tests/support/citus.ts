/** Databases that Citus distributes, for tests that run on them as on any other. */
import { openDatabase } from "@cardkeep/db/client";
import { distributeTables } from "@cardkeep/db/distribute";
import { migrate } from "@cardkeep/db/migrate";
import { migrate as migrateSandbox } from "@cardkeep/sandbox/migrate";
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { nameDatabase } from "./postgres.ts";

/** Addresses of the coordinator and of the nodes, with commas between. Where it is set, each test database is distributed. */
export const citusVariable = "CARDKEEP_TEST_CITUS_URLS";

/** Creates a distributed database at this version; null where the variable is not set. */
export function createDistributed(): Promise<{ url: string; serviceUrl: string; drop(): Promise<void> }> | null {
  const [coordinator, ...nodes] = process.env[citusVariable]?.split(",") ?? [];
  return coordinator === undefined ? null : create(coordinator, nodes);
}

async function create(
  coordinator: string,
  nodes: readonly string[],
): Promise<{ url: string; serviceUrl: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  for (const server of [coordinator, ...nodes]) {
    await run(server, (admin) => admin`create database ${admin(name)}`);
    await run(nameDatabase(server, name), (admin) => admin`create extension citus`);
  }
  const url = nameDatabase(coordinator, name);
  const { hostname, port } = new URL(coordinator);
  await run(url, (admin) => admin`select citus_set_coordinator_host(${hostname}, ${Number(port)})`);
  for (const node of nodes) {
    const address = new URL(node);
    await run(url, (admin) => admin`select citus_add_node(${address.hostname}, ${Number(address.port)})`);
  }
  await migrate(url);
  await migrateSandbox(url);
  const database = openDatabase({ url, connectionsMax: 1, statementTimeoutMs: 60_000, applicationName: "test" });
  await distributeTables(database.db);
  await database.close();
  // The role would have to be on each node.
  return { url, serviceUrl: url, drop: async () => {} };
}

async function run(url: string, work: (admin: postgres.Sql) => PromiseLike<unknown>): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
