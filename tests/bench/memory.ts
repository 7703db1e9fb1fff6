/** `memory.read`: memory growth of the production server over a million authenticated reads. */
import { buildRequest, connections, runLoad } from "./load.ts";
import type { Benchmark } from "./measure.ts";
import { submitTen } from "./read.ts";
import { startWorld } from "./world.ts";

const slices = 10;
/** The smallest of several sizes counts. */
const lowOf = 3;
const grownMbMax = 20;
const megabyte = 1024;

export const memory: Benchmark = {
  names: ["memory.read"],
  measure: async ({ options, printProgress, note }) => {
    printProgress("an account holder with ten operations");
    const { server, holder } = await startWorld({ people: 1, prepare: submitTen });
    const plan = {
      port: server.port,
      connections,
      requests: [buildRequest({ method: "GET", path: "/api/v1/delay-relay", token: holder.token })],
      until: { count: Math.ceil(options.requests / slices) },
      body: null,
    };
    const sizes: number[] = [];
    // The first slice warms up.
    for (let slice = 0; slice <= slices; slice++) {
      printProgress(`memory.read: ${slice} of ${slices}`);
      await runLoad(plan);
      sizes.push(readResidentMb(server.pid));
    }
    // Between two garbage collections the size varies more than any leak, so the low values are compared.
    const before = Math.min(...sizes.slice(0, lowOf));
    const value = Math.min(...sizes.slice(-lowOf)) - before;
    const grown = sizes.map((size) => size - before);
    note(`memory.read: ${options.requests} requests; ${before.toFixed(0)} MB resident in the beginning`);
    return [
      {
        name: "memory.read",
        ratio: null,
        value,
        unit: "MB",
        baseline: null,
        spread: [Math.min(...grown), Math.max(...grown)],
        target: `value <= ${grownMbMax}`,
        met: value <= grownMbMax,
      },
    ];
  },
};

/** Resident memory of a process. */
export function readResidentMb(pid: number): number {
  const { stdout } = Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]);
  const kilobytes = Number(stdout.toString().trim());
  if (!(kilobytes > 0)) throw new Error(`ps shows no process ${pid}`);
  return kilobytes / megabyte;
}
