/**
 * The machines of the nodes. Under root each is a network namespace with two cables: one to the switch of the cluster, which
 * a split cuts, and one to the outside, where clients and partners are. They vanish with this process.
 */
import { type Child, startChild } from "@cardkeep/local/child";
import { readlinkSync } from "node:fs";
import { until } from "../support/poll.ts";
import type { Programs } from "./programs.ts";

export interface Machine {
  /** Where etcd and the other machines reach it. */
  readonly address: string;
  /** Where clients and this test reach it, also while it is cut from the others. */
  readonly outside: string;
  /** The address that its programs listen on. */
  readonly listen: string;
  /** The beginning of a command that runs on it, as a user. */
  enter(user?: Programs["user"]): readonly string[];
}

/** Without root, all nodes share this machine. */
export const here: Machine = { address: "127.0.0.1", outside: "127.0.0.1", listen: "127.0.0.1", enter: () => [] };

/** RFC 2544 reserves these addresses for tests of networks. */
export const machineRange = "198.18.0.0/15";
const networks = { cluster: "198.18", outside: "198.19" } as const;
/** Our own end of each cable. */
const ownNumber = 254;

export class Network {
  /** This machine's end of the cluster's network. */
  readonly address: string;
  readonly outside: string;
  readonly machines: ReadonlyMap<string, Machine>;
  readonly #switch: Child;
  readonly #namespaces: readonly Child[];

  private constructor(names: readonly string[], [center, ...namespaces]: readonly [Child, ...Child[]]) {
    const id = Math.floor(Math.random() * 256);
    this.#switch = center;
    this.#namespaces = namespaces;
    this.address = `${networks.cluster}.${id}.${ownNumber}`;
    this.outside = `${networks.outside}.${id}.${ownNumber}`;
    for (const [kind, network] of Object.entries(networks)) {
      run(["ip", "link", "add", kind, "type", "bridge"], center);
      run(["ip", "link", "set", kind, "up"], center);
      namespaces.forEach((namespace, index) => {
        const plug = `${names[index]}-${kind}`;
        const cable = ["ip", "link", "add", kind, "netns", String(namespace.pid), "type", "veth", "peer", "name", plug];
        run([...cable, "netns", String(center.pid)]);
        connect(center, plug, kind);
        raise(kind, `${network}.${id}.${index + 1}/24`, namespace);
      });
      const [own, plug] = [`ck-${kind}-${id}`, `own-${kind}`];
      run(["ip", "link", "add", own, "type", "veth", "peer", "name", plug, "netns", String(center.pid)]);
      connect(center, plug, kind);
      raise(own, `${network}.${id}.${ownNumber}/24`);
    }
    for (const namespace of namespaces) run(["ip", "link", "set", "lo", "up"], namespace);
    this.machines = new Map(
      namespaces.map((namespace, index) => [
        names[index] ?? "",
        {
          address: `${networks.cluster}.${id}.${index + 1}`,
          outside: `${networks.outside}.${id}.${index + 1}`,
          listen: "0.0.0.0",
          enter: (user) => enter(namespace, user),
        },
      ]),
    );
  }

  /** Makes a machine for each name; null without root. */
  static async open(names: readonly string[]): Promise<Network | null> {
    if (process.getuid?.() !== 0) return null;
    const [center, ...namespaces] = await Promise.all([startNamespace(), ...names.map(startNamespace)]);
    return new Network(names, [center, ...namespaces]);
  }

  /** Cuts a machine from etcd and the others: packets vanish, in both directions. */
  cut(name: string): void {
    run(["ip", "link", "set", `${name}-cluster`, "nomaster"], this.#switch);
  }

  join(name: string): void {
    connect(this.#switch, `${name}-cluster`, "cluster");
  }

  async close(): Promise<void> {
    await Promise.all([this.#switch, ...this.#namespaces].map((one) => one.stop("SIGKILL", "SIGKILL", 1_000)));
  }
}

/** A process that keeps a network namespace. */
async function startNamespace(): Promise<Child> {
  const leash = { kind: "signal", signal: "SIGKILL" } as const;
  const keeper = startChild({ command: "unshare", args: ["--net", "sleep", "infinity"], leash });
  const own = readlinkSync("/proc/self/ns/net");
  await until(() => readlinkSync(`/proc/${keeper.pid}/ns/net`) !== own);
  return keeper;
}

const enter = ({ pid }: Child, { uid, gid }: Programs["user"] = {}): readonly string[] => {
  const user = uid === undefined || gid === undefined ? [] : ["--setuid", String(uid), "--setgid", String(gid)];
  return ["nsenter", "--target", String(pid), "--net", ...user, "--"];
};

const connect = (center: Child, plug: string, bridge: string): void =>
  run(["ip", "link", "set", plug, "master", bridge, "up"], center);

function raise(cable: string, address: string, namespace?: Child): void {
  run(["ip", "address", "add", address, "dev", cable], namespace);
  run(["ip", "link", "set", cable, "up"], namespace);
}

function run(command: readonly string[], namespace?: Child): void {
  const { exitCode, stderr } = Bun.spawnSync([...(namespace ? enter(namespace) : []), ...command]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString().trim()}`);
}
