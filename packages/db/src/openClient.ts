import postgres from "postgres";
import { arrayTypes } from "./arrayTypes.ts";
import { parseDatabaseAddress } from "./databaseAddress.ts";
import { watchConnection } from "./lostMachine.ts";
import { buildCredentials, createNodeFinder, type NodeKind, openSocket } from "./nodes.ts";

/** A node that does not answer is left after so many seconds. */
const connectSeconds = 5;

/**
 * A client of the driver for the nodes of an address. It refuses a node of another kind at once: a standby answers with old
 * rows and refuses every write, long after another node was promoted.
 *
 * Among several nodes each new connection searches the right one. Settings travel in `setup` and never as start-up
 * parameters, because PgBouncer refuses those.
 *
 * @throws DatabaseAddressError
 */
export function openClient(
  url: string,
  options: Parameters<typeof postgres>[1],
  kind: NodeKind = "primary",
): postgres.Sql {
  const address = parseDatabaseAddress(url);
  const [node, ...others] = address.nodes;
  const find = createNodeFinder(address, kind);
  // The driver's own choice among several hosts tries hosts that are away again and again, and reads no IPv6 address.
  const needsSocket = others.length > 0 || node.host.includes(":");
  return postgres({
    ...buildCredentials(address),
    ...node,
    ...(needsSocket && { socket: () => openSocket(find) }),
    connect_timeout: connectSeconds,
    onnotice: () => {},
    target_session_attrs: kind,
    // The driver would ask each connection for them.
    fetch_types: false,
    array_types: arrayTypes,
    onsocket: watchConnection,
    ...options,
  });
}
