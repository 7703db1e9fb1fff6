/** A network namespace with one cable to this machine. A program in it vanishes without a packet once the cable is down. */
import { startChild } from "@cardkeep/local/child";
import { readlinkSync } from "node:fs";
import { until } from "./poll.ts";

/** RFC 2544 reserves these addresses for tests of networks. */
const range = "198.18.0.0/15";

/** Whether this process may make network namespaces. Without the right, tests of vanished machines are skipped. */
export const mayMakeMachines =
  process.getuid?.() === 0 &&
  Bun.which("ip") !== null &&
  Bun.spawnSync(["unshare", "--net", "true"], { stderr: "ignore" }).exitCode === 0;

export interface VanishingMachine {
  /** Where the machine reaches this one. */
  readonly address: string;
  /** Where this machine reaches it. */
  readonly own: string;
  readonly range: string;
  /** The beginning of a command that runs on it. */
  readonly enter: readonly [string, ...string[]];
  vanish(): void;
  appear(): void;
  remove(): Promise<void>;
}

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString().trim()}`);
}

export async function makeMachine(): Promise<VanishingMachine> {
  const leash = { kind: "signal", signal: "SIGKILL" } as const;
  const keeper = startChild({ command: "unshare", args: ["--net", "sleep", "infinity"], leash });
  const own = readlinkSync("/proc/self/ns/net");
  await until(() => readlinkSync(`/proc/${keeper.pid}/ns/net`) !== own);
  const enter = ["nsenter", "--target", String(keeper.pid), "--net", "--"] as const;
  // Several test runs may share this machine.
  const [cable, network] = [`ck${keeper.pid}`, `198.18.${keeper.pid % 256}`];
  run("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", String(keeper.pid));
  run("ip", "address", "add", `${network}.1/24`, "dev", cable);
  run("ip", "link", "set", cable, "up");
  run(...enter, "ip", "address", "add", `${network}.2/24`, "dev", "eth0");
  for (const device of ["eth0", "lo"]) run(...enter, "ip", "link", "set", device, "up");
  return {
    address: `${network}.1`,
    own: `${network}.2`,
    range,
    enter: [...enter],
    vanish: () => run(...enter, "ip", "link", "set", "eth0", "down"),
    appear: () => run(...enter, "ip", "link", "set", "eth0", "up"),
    remove: async () => {
      await keeper.stop("SIGKILL", "SIGKILL", 1_000);
    },
  };
}
