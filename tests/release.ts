/**
 * `bun run release`: plays what the API can do on a new service, and writes the filled database of this version with its chain to
 * tests/releases. Later versions migrate it in their tests.
 */
import { version } from "@cardkeep/contract/version";
import { recordExamples } from "./contract/examples/record.ts";
import { createTestDatabase } from "./support/database.ts";
import { endEverything } from "./support/ends.ts";
import { untilIdle } from "./support/jobs.ts";
import { listIds, readPaths, startKeptChain, writeRelease } from "./support/release.ts";
import { startService } from "./support/service.ts";

const kept = await startKeptChain();
const service = await startService({ filled: { database: await createTestDatabase(), chain: kept.chain } });
const { person } = await recordExamples(service);
await untilIdle(service);
const answers: Record<string, string[]> = {};
for (const path of readPaths) answers[path] = listIds((await person.call("GET", path)).body);
const folder = await writeRelease(service, { release: { version, privateKey: person.privateKey, answers }, kept });
await kept.remove();
await endEverything();
process.stdout.write(`${folder} has the filled database of ${version}\n`);
process.exit(0);
