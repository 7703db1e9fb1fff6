/** Configuration of Patroni, etcd and HAProxy on one machine, as on three. */
import { join } from "node:path";

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
}

/** Patroni's configuration of one node. JSON is YAML. */
export function buildPatroniFile(
  node: NodePlace,
  { etcdPort, postgres, timing }: { etcdPort: number; postgres: string; timing: Timing },
): string {
  const trust = ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"];
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
    restapi: { listen: `127.0.0.1:${node.restPort}`, connect_address: `127.0.0.1:${node.restPort}` },
    etcd3: { hosts: [`127.0.0.1:${etcdPort}`] },
    bootstrap: { dcs, initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"] },
    postgresql: {
      listen: `127.0.0.1:${node.port}`,
      connect_address: `127.0.0.1:${node.port}`,
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

/** HAProxy sends each connection to the node whose Patroni says that it is the primary. */
export const buildHaproxyFile = (port: number, nodes: readonly NodePlace[]): string =>
  `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.restPort}`).join("\n")}
`;

/** The arguments of an etcd of one node. */
export function buildEtcdArguments(folder: string, clientPort: number, peerPort: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
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
