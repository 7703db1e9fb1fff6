/** `bun run test:chaos`: 200 operations over 20 Safes in a storm of three minutes; then everything is counted on chain. */
import { runStorm } from "./storm.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const report = await runStorm({ safes: 20, operations: 200, seconds: 180, say });
say(JSON.stringify(report, null, 2));
const { accepted, rows, enqueued, arrived, lanes } = report;
const executed = rows["EXECUTED"] ?? 0;
const isGood =
  executed + (rows["FAILED"] ?? 0) === accepted &&
  enqueued === accepted &&
  arrived === executed &&
  lanes.every(({ missing, open }) => missing === 0 && open === 0);
say(isGood ? "accepted = enqueued = executed or failed; no nonce missing" : "NOT what was promised");
process.exit(isGood ? 0 : 1);
