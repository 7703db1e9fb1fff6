/** Configuration of Patroni, etcd and HAProxy on one machine, as on three. */
import { join } from "node:path";
import { type Machine, machineRange } from "./network.ts";

export interface Timing {
  /** Seconds after which a primary that lost etcd is no primary any more. */
  ttl: number;
  loopWait: number;
}

export interface NodePlace {
  name: string;
  port: number;
  restPort: number;
  folder: string;
  machine: Machine;
}

/** What HAProxy has to know of a node. */
type HaproxyNode = Pick<NodePlace, "name" | "port" | "restPort"> & { machine: Pick<Machine, "address"> };

/** Patroni's configuration of one node. JSON is YAML. */
export function buildPatroniFile(
  node: NodePlace,
  { etcd, postgres, timing }: { etcd: string; postgres: string; timing: Timing },
): string {
  const ranges = ["127.0.0.1/32", machineRange];
  const hosts = ranges.flatMap((range) => ["all", "replication"].map((what) => `host ${what} all ${range} trust`));
  const trust = ["local all all trust", ...hosts];
  const { address, listen } = node.machine;
  const dcs = {
    ttl: timing.ttl,
    loop_wait: timing.loopWait,
    // Patroni asks for loop_wait + 2 * retry_timeout <= ttl.
    retry_timeout: Math.max(3, Math.floor((timing.ttl - timing.loopWait) / 2)),
    maximum_lag_on_failover: 16 * 1024 * 1024,
    postgresql: {
      use_pg_rewind: true,
      use_slots: true,
      parameters: { max_connections: 200, wal_sender_timeout: "10s", wal_keep_size: "256MB", timezone: "UTC" },
    },
  };
  return JSON.stringify({
    scope: "cardkeep",
    name: node.name,
    restapi: { listen: `${listen}:${node.restPort}`, connect_address: `${address}:${node.restPort}` },
    etcd3: { hosts: [etcd] },
    bootstrap: { dcs, initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"] },
    postgresql: {
      listen: `${listen}:${node.port}`,
      connect_address: `${address}:${node.port}`,
      data_dir: join(node.folder, "data"),
      bin_dir: postgres,
      pgpass: join(node.folder, "pgpass"),
      authentication: {
        superuser: { username: "postgres", password: "postgres" },
        replication: { username: "replicator", password: "replicator" },
      },
      pg_hba: trust,
      parameters: { unix_socket_directories: node.folder },
    },
  });
}

/** Without `redispatch`, HAProxy 3.0 asks a lost node again and again, until a server gives up after its 5 s. */
const haproxyDefaults = `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
  option redispatch 1
`;

/** HAProxy sends each connection to the node whose Patroni says that it is the primary. */
export const buildHaproxyFile = (port: number, nodes: readonly HaproxyNode[]): string =>
  `${haproxyDefaults}listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} ${node.machine.address}:${node.port} check port ${node.restPort}`).join("\n")}
`;

/** HAProxy passes connections on, from one address to another. */
export const buildForwardFile = (pairs: readonly { from: string; to: string }[]): string =>
  haproxyDefaults +
  pairs.map(({ from, to }, index) => `listen forward${index}\n  bind ${from}\n  server only ${to}\n`).join("");

/** The arguments of an etcd of one node, from its address with port for clients and for peers. */
export function buildEtcdArguments(folder: string, [clientAt, peerAt]: readonly [string, string]): string[] {
  const [client, peer] = [`http://${clientAt}`, `http://${peerAt}`];
  const settings = {
    name: "one",
    "data-dir": folder,
    "listen-client-urls": client,
    "advertise-client-urls": client,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `one=${peer}`,
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}
