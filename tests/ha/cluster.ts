/** Three nodes of Postgres under Patroni, one etcd, and HAProxy before them. */
import { type Child, startChild } from "@cardkeep/local/child";
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { askServer } from "../support/standby.ts";
import { here, type Machine, Network } from "./network.ts";
import type { Programs } from "./programs.ts";
import { buildEtcdArguments, buildHaproxyFile, buildPatroniFile, type NodePlace, type Timing } from "./topology.ts";

const names = ["one", "two", "three"];
const readyMsMax = 120_000;
const members = z.object({
  members: z.array(z.object({ name: z.string(), role: z.string(), state: z.string() })),
});

export class Cluster {
  readonly nodes: readonly NodePlace[];
  /** The address through HAProxy. */
  readonly url: string;
  /** The configuration of the HAProxy before the nodes, the same on each machine. */
  readonly haproxyFile: string;
  readonly #programs: Programs;
  readonly #folder: string;
  /** Etcd's addresses for clients and for peers. */
  readonly #etcd: readonly [string, string];
  readonly #running = new Map<string, Child>();

  /** The nodes' own network; null where they share this machine, without root. */
  readonly network: Network | null;

  private constructor(input: {
    programs: Programs;
    folder: string;
    ports: readonly number[];
    timing: Timing;
    network: Network | null;
  }) {
    const [proxyPort = 0, etcdPort = 0, peerPort = 0, ...own] = input.ports;
    this.#programs = input.programs;
    this.#folder = input.folder;
    this.network = input.network;
    const { address } = this.network ?? here;
    this.#etcd = [`${address}:${etcdPort}`, `${address}:${peerPort}`];
    this.url = `postgres://cardkeep@127.0.0.1:${proxyPort}/cardkeep`;
    this.nodes = names.map((name, index) => ({
      name,
      port: own[2 * index] ?? 0,
      restPort: own[2 * index + 1] ?? 0,
      folder: join(input.folder, name),
      machine: this.network?.machines.get(name) ?? here,
    }));
    for (const { folder } of this.nodes) this.#makeFolder(folder);
    for (const node of this.nodes) {
      const { postgres } = input.programs;
      writeFileSync(
        join(node.folder, "patroni.yml"),
        buildPatroniFile(node, { etcd: this.#etcd[0], postgres, timing: input.timing }),
      );
    }
    this.haproxyFile = buildHaproxyFile(proxyPort, this.nodes);
  }

  /** Starts everything and creates the database `cardkeep`. */
  static async start(input: { programs: Programs; folder: string; timing: Timing }): Promise<Cluster> {
    const cluster = new Cluster({
      ...input,
      ports: await findFreePorts(9),
      network: await Network.open(names),
    });
    cluster.startEtcd();
    for (const node of cluster.nodes) cluster.startNode(node);
    cluster.startProxy("haproxy", cluster.haproxyFile);
    await cluster.untilWhole();
    const primary = await cluster.getPrimary();
    const admin = urlOf(primary);
    await askServer(admin, "create role cardkeep login");
    // To see which standbys are synchronous.
    await askServer(admin, "grant pg_monitor to cardkeep");
    await askServer(admin, "create database cardkeep owner cardkeep");
    return cluster;
  }

  startEtcd(): void {
    const folder = join(this.#folder, "etcd");
    this.#makeFolder(folder);
    this.#run("etcd", this.#programs.etcd, buildEtcdArguments(folder, this.#etcd));
  }

  /** Ends etcd as a crash does. */
  async killEtcd(): Promise<void> {
    await this.#running.get("etcd")?.stop("SIGKILL", "SIGKILL", 1_000);
  }

  startNode(node: NodePlace): void {
    this.#run(node.name, this.#programs.patroni, [join(node.folder, "patroni.yml")], node.machine);
  }

  /** Starts an HAProxy, on a machine of the network or on this one. */
  startProxy(name: string, file: string, machine: Machine = here): Child {
    const path = join(this.#folder, `${name}.cfg`);
    writeFileSync(path, file);
    return this.#run(name, this.#programs.haproxy, ["-db", "-f", path], machine);
  }

  /** Ends a node as the loss of its machine does: Patroni, the server and its children. */
  async killNode(node: NodePlace): Promise<void> {
    const postmaster = Number(readFileSync(join(node.folder, "data/postmaster.pid"), "utf8").split("\n")[0]);
    // A stopped one starts no child that the list lacks.
    process.kill(postmaster, "SIGSTOP");
    const children = Bun.spawnSync(["pgrep", "-P", String(postmaster)])
      .stdout.toString()
      .split("\n")
      .filter((line) => line !== "")
      .map(Number);
    const patroni = this.#running.get(node.name);
    await patroni?.stop("SIGKILL", "SIGKILL", 1_000);
    for (const pid of [postmaster, ...children]) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  }

  /** Stops the processes that send the log to the standbys: the replication hangs. */
  async hangReplication(primary: NodePlace): Promise<void> {
    const senders = await askServer<{ pid: number }>(urlOf(primary), "select pid from pg_stat_replication");
    for (const { pid } of senders) process.kill(pid, "SIGSTOP");
  }

  /** The node that takes writes; null while there is none. A node that hangs or is away counts as none. */
  async findPrimary(except?: NodePlace): Promise<NodePlace | null> {
    const answers = await Promise.all(
      this.nodes.map(async (node) => {
        if (node.name === except?.name) return null;
        const rows = await askServer<{ standby: boolean }>(urlOf(node), "select pg_is_in_recovery() as standby").catch(
          () => [],
        );
        return rows[0]?.standby === false ? node : null;
      }),
    );
    return answers.find((node) => node !== null) ?? null;
  }

  async getPrimary(): Promise<NodePlace> {
    const node = await this.findPrimary();
    if (node === null) throw new Error("No node takes writes");
    return node;
  }

  /** Changes Patroni's configuration of the whole cluster. */
  async configure(change: object): Promise<void> {
    await fetch(`${restOf(await this.getPrimary())}/config`, { method: "PATCH", body: JSON.stringify(change) });
  }

  /** Hands the primary's place over in order. Patroni refuses while it has not seen the synchronous standby yet. */
  async switchOver(leader: NodePlace): Promise<void> {
    const body = JSON.stringify({ leader: leader.name });
    const url = `${restOf(leader)}/switchover`;
    await until(async () => (await fetch(url, { method: "POST", body })).ok);
  }

  /** A primary and two streaming standbys. With `isSynchronous`, a commit waits for the one that Patroni shows. */
  async untilWhole({ isSynchronous = false } = {}): Promise<void> {
    await until(
      async () => {
        const primary = await this.findPrimary();
        if (primary === null) return false;
        const response = await fetch(`${restOf(primary)}/cluster`);
        const list = members.parse(await response.json()).members;
        const streaming = await askServer(
          urlOf(primary),
          "select 1 from pg_stat_replication where state = 'streaming' and application_name in ('one', 'two', 'three')",
        );
        // Patroni needs 2 s to confirm the standby that it named. Without that, it does not release it when it is lost.
        return (
          list.length === this.nodes.length &&
          streaming.length === this.nodes.length - 1 &&
          list.some(({ role }) => role === "sync_standby") === isSynchronous
        );
      },
      { timeoutMs: readyMsMax },
    ).catch((error: unknown) => {
      throw new Error(`The cluster is not whole; see the logs in ${this.#folder}`, { cause: error });
    });
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await this.#running.get(node.name)?.stop("SIGTERM", "SIGKILL", 20_000);
    for (const name of ["haproxy", "etcd"]) await this.#running.get(name)?.stop("SIGTERM", "SIGKILL", 5_000);
    await this.network?.close();
  }

  #run(name: string, command: string, args: readonly string[], machine: Machine = here): Child {
    const logFile = join(this.#folder, `${name}.log`);
    const { user } = this.#programs;
    const [first = command, ...rest] = [...machine.enter(user), command, ...args];
    const child = startChild({
      command: first,
      args: rest,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      cwd: "/",
      logFile,
      leash: { kind: "signal", signal: "SIGTERM" },
      // What enters a machine becomes the user there.
      ...(first === command ? user : {}),
    });
    this.#running.set(name, child);
    return child;
  }

  #makeFolder(folder: string): void {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
    const { uid, gid } = this.#programs.user;
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  }
}

/** A node's own address, as superuser. */
export const urlOf = ({ machine, port }: NodePlace): string =>
  `postgres://postgres@${machine.outside}:${port}/postgres`;

/** The address of a node's Patroni. */
const restOf = ({ machine, restPort }: NodePlace): string => `http://${machine.outside}:${restPort}`;
