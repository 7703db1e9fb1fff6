/** `bun run test:fuzz [runs] [seed]`: thousands of generated requests to every operation; a seed sends the same ones again. */
import { startTestChain } from "../support/chain.ts";
import { serverVariable, startTestServer } from "../support/postgres.ts";
import { startService } from "../support/service.ts";
import { fuzz, invite } from "./fuzz.ts";

const [runs = 5_000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);

const [server, chain] = await Promise.all([startTestServer(), startTestChain()]);
await chain.stop();
process.env[serverVariable] = server.url;
const service = await startService();
let isGood = false;
try {
  process.stdout.write(`seed ${seed}, ${runs} requests to every operation on each surface\n`);
  const party = await invite(service);
  const found: string[] = [];
  for (const surface of ["rest", "trpc"] as const) {
    const { requests, statuses, faults } = await fuzz(service, party, { seed, runs, surface });
    process.stdout.write(`${surface}: ${requests} requests: ${JSON.stringify(statuses)}\n`);
    for (const fault of faults) process.stdout.write(`✗ ${fault}\n`);
    found.push(...faults);
  }
  isGood = found.length === 0;
} finally {
  await service.stop();
  await server.stop();
}
process.exit(isGood ? 0 : 1);
