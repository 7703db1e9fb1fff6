/** `memory.export`: memory growth of the production server while it writes a gigabyte of exports. */
import { randomBytes } from "node:crypto";
import { fillPayments } from "./fill.ts";
import type { Benchmark } from "./measure.ts";
import { readResidentMb } from "./memory.ts";
import { startWorld } from "./world.ts";

const wholePayments = 200_000;
const users = 1_000;
const wholeBytes = 1024 ** 3;
const grownMbMax = 50;
const operatorKey = randomBytes(32).toString("hex");

export const memoryExport: Benchmark = {
  names: ["memory.export"],
  isByNameOnly: true,
  measure: async ({ printProgress, note, options: { share } }) => {
    const payments = Math.ceil(wholePayments * share);
    const bytesMin = wholeBytes * share;
    printProgress(`memory.export: ${payments} payments`);
    const { server, service } = await startWorld({ people: 1, serverEnv: { OPERATOR_API_KEY: operatorKey } });
    await fillPayments(service.ownerUrl, { users, payments });
    printProgress(`memory.export: ${payments} payments are there`);
    const url = `http://127.0.0.1:${server.port}/operator/api/exports/transactions/file?format=jsonl`;
    const headers = { Authorization: `Bearer ${operatorKey}` };
    // The first export warms up.
    await download(url, headers);
    const before = readResidentMb(server.pid);
    let [bytes, largest] = [0, before];
    const startedAt = performance.now();
    const look = () => void (largest = Math.max(largest, readResidentMb(server.pid)));
    const grown: string[] = [];
    while (bytes < bytesMin) {
      bytes += await download(url, headers, look);
      look();
      grown.push(`${(largest - before).toFixed(0)} MB at ${(bytes / 1024 ** 2).toFixed(0)} MB`);
      printProgress(`memory.export: ${grown.at(-1)}`);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const value = largest - before;
    note(`memory.export: grown by ${grown.join(", ")}`);
    note(
      `memory.export: ${(bytes / 1024 ** 2).toFixed(0)} MB in ${seconds.toFixed(0)} s; ${before.toFixed(0)} MB resident before`,
    );
    return [
      {
        name: "memory.export",
        ratio: null,
        value,
        unit: "MB",
        baseline: null,
        spread: [0, value],
        target: share < 1 ? null : `value <= ${grownMbMax}`,
        met: share < 1 ? null : value <= grownMbMax,
      },
    ];
  },
};

/** Memory is looked at once for so many bytes. */
const lookBytes = 16 * 1024 ** 2;

/** Reads an answer without keeping it, and answers its length. */
async function download(url: string, headers: Readonly<Record<string, string>>, look = () => {}): Promise<number> {
  const answer = await fetch(url, { headers });
  if (!answer.ok || answer.body === null) throw new Error(`${url} answered ${answer.status}`);
  let [bytes, looked] = [0, 0];
  for await (const chunk of answer.body) {
    bytes += chunk.byteLength;
    if (bytes - looked < lookBytes) continue;
    look();
    looked = bytes;
  }
  return bytes;
}
