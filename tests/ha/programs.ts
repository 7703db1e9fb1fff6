/** The programs of the supported topology, from Debian's packages. */
import { existsSync } from "node:fs";
import { join } from "node:path";

export interface Programs {
  readonly patroni: string;
  readonly etcd: string;
  readonly haproxy: string;
  readonly pgbackrest: string;
  /** The folder with `postgres`, `initdb` and `pg_dump`. */
  readonly postgres: string;
  /** The system user that runs them; Postgres refuses root. */
  readonly user: { uid?: number; gid?: number };
}

const path = `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/local/sbin`;
const names = ["patroni", "etcd", "haproxy", "pgbouncer", "pgbackrest"];
const postgresFolders = [17, 16, 15].map((major) => `/usr/lib/postgresql/${major}/bin`);

/** Finds the programs, or answers in one line what is missing. */
export function findPrograms(): Programs | string {
  const postgres = postgresFolders.find((folder) => existsSync(join(folder, "postgres")));
  const missing = [
    ...names.filter((name) => Bun.which(name, { PATH: path }) === null),
    ...(postgres === undefined ? ["postgresql-15 (or 16, 17)"] : []),
  ];
  if (missing.length > 0 || postgres === undefined)
    return `Missing on this machine: ${missing.join(", ")}. On Debian: apt install patroni python3-etcd etcd-server haproxy pgbouncer pgbackrest postgresql-15`;
  const find = (name: string): string => Bun.which(name, { PATH: path }) ?? name;
  return {
    patroni: find("patroni"),
    etcd: find("etcd"),
    haproxy: find("haproxy"),
    pgbackrest: find("pgbackrest"),
    postgres,
    user: process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {},
  };
}

const idOf = (what: "-u" | "-g"): number => Number(Bun.spawnSync(["id", what, "postgres"]).stdout.toString());
