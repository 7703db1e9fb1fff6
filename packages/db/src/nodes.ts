/** Which node of a database's address to connect to. */
import { createConnection, Socket } from "node:net";
import postgres from "postgres";
import { type DatabaseAddress, type DatabaseNode, formatNodes, readTls } from "./databaseAddress.ts";

/** The kind of node that a connection needs: one that takes writes, or one in recovery. */
export type NodeKind = "primary" | "standby";

/** A node that hangs is left after so many seconds. */
const connectSeconds = 5;

/** No node of the address is of the kind that is needed. The message names each node with the reason. */
export class NoNodeError extends Error {
  override readonly name = "NoNodeError";
  /** A code of class CONNECTION, so the error counts as an unavailable database. */
  readonly code = "CONNECTION_NO_NODE";
}

/** What the driver needs to know of an address besides its nodes. */
export function buildCredentials(address: DatabaseAddress) {
  const { user, password, database } = address;
  return {
    ...(user !== null && { user }),
    ...(password !== null && { password }),
    ...(database !== null && { database }),
    ssl: readTls(address),
  };
}

/** Returns why a node is not of the kind; null where it is. */
async function findFault(address: DatabaseAddress, node: DatabaseNode, kind: NodeKind): Promise<string | null> {
  const client = postgres({
    ...buildCredentials(address),
    socket: () => openSocket(async () => node),
    max: 1,
    connect_timeout: connectSeconds,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: "cardkeep-probe" },
  });
  try {
    const [row] = await client<{ recovery: boolean; readOnly: boolean }[]>`
      select pg_is_in_recovery() as recovery, current_setting('transaction_read_only')::bool as "readOnly"`.simple();
    if (kind === "standby") return row?.recovery === true ? null : "is not in recovery";
    if (row?.recovery === true) return "is in recovery";
    return row?.readOnly === false ? null : "is read-only";
  } catch (error) {
    return error instanceof Error ? `does not answer (${error.message})` : "does not answer";
  } finally {
    await client.end({ timeout: 1 });
  }
}

/**
 * Returns a function that finds the node to connect to. It asks all nodes at once and takes the first that fits. Calls at
 * the same time share one search. An address with one node is never asked.
 *
 * @throws NoNodeError in the returned function
 */
export function createNodeFinder(address: DatabaseAddress, kind: NodeKind): () => Promise<DatabaseNode> {
  const { nodes } = address;
  if (nodes.length === 1) return async () => nodes[0];
  let searching: Promise<DatabaseNode> | null = null;
  const search = async (): Promise<DatabaseNode> => {
    const faults: string[] = [];
    const asked = nodes.map(async (node) => {
      const fault = await findFault(address, node, kind);
      if (fault === null) return node;
      faults.push(`${formatNodes({ nodes: [node] })} ${fault}`);
      throw new NoNodeError(fault);
    });
    const wanted = kind === "primary" ? "takes writes" : "is a standby";
    return Promise.any(asked).catch(() => {
      throw new NoNodeError(`No node of the database ${wanted}: ${faults.join(", ")}`);
    });
  };
  return () =>
    (searching ??= search().finally(() => {
      searching = null;
    }));
}

/**
 * Opens a socket to the node that `find` returns. If there is none, the returned socket fails with that error: the driver
 * loses a connection for good whose socket is refused in any other way.
 */
export async function openSocket(find: () => Promise<DatabaseNode>): Promise<Socket> {
  try {
    const node = await find();
    return Object.assign(createConnection(node), node);
  } catch (error) {
    const socket = new Socket();
    setImmediate(() => socket.destroy(error instanceof Error ? error : new Error(String(error))));
    return socket;
  }
}
