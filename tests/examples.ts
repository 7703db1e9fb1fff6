/** `bun run examples`: takes the examples of the reference page and of the OpenAPI document anew, from a real service. */
import { recordExamples } from "./contract/examples/record.ts";
import { endEverything } from "./support/ends.ts";
import { startService } from "./support/service.ts";

const file = new URL("../packages/contract/src/examples.json", import.meta.url);

const service = await startService();
try {
  const examples = await recordExamples(service);
  await Bun.write(file, `${JSON.stringify(examples, null, 2)}\n`);
  process.stdout.write(`${Object.keys(examples).length} examples written\n`);
} finally {
  await service.stop();
  await endEverything();
}
process.exit(0);
