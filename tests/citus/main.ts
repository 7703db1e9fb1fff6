/**
 * `bun run test:citus`: tests of payments, withdrawals, webhooks, partitions and archives, each on a database that Citus
 * distributes onto two nodes. It needs Citus for the Postgres of this machine, and says so where there is none.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { citusVariable } from "../support/citus.ts";
import { findCitus, startCitus } from "./cluster.ts";

const files = [
  "tests/regression/partitions.test.ts",
  "tests/long/archives.test.ts",
  "tests/api/withdraw.test.ts",
  "tests/api/card-transactions.test.ts",
  "tests/flows/webhooks.test.ts",
  "tests/long/card-accounting.test.ts",
];

const found = await findCitus();
if (typeof found === "string") {
  process.stdout.write(`${found}\n`);
  process.exit(1);
}
const cluster = await startCitus(found.bin, await mkdtemp(join(tmpdir(), "cardkeep-citus-")));
try {
  const tests = Bun.spawn([process.execPath, "test", "--timeout", "120000", ...files], {
    env: { ...process.env, [citusVariable]: cluster.urls.join(",") },
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.exitCode = await tests.exited;
} finally {
  await cluster.stop();
}
