/**
 * `bun run examples`: records the examples of the reference page and the OpenAPI document again, from a running
 * service.
 */
import { recordExamples } from "./contract/examples/record.ts";
import { endEverything } from "./support/ends.ts";
import { startService } from "./support/service.ts";

const write = (name: string, examples: object) =>
  Bun.write(
    new URL(`../packages/contract/src/openapi/${name}.json`, import.meta.url),
    `${JSON.stringify(examples, null, 2)}\n`,
  );

const service = await startService();
try {
  const { routes, events } = await recordExamples(service);
  await Promise.all([write("examples", routes), write("eventExamples", events)]);
  process.stdout.write(`${Object.keys(routes).length} routes and ${Object.keys(events).length} events written\n`);
} finally {
  await service.stop();
  await endEverything();
}
process.exit(0);
