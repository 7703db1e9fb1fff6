/** `bun run demo`: one person's whole journey against a running `bun start`, reported on the terminal; exit code 0 at its end. */
import { readOperatorSettings } from "@cardkeep/runtime/local";
import { createProgress } from "../progress.ts";
import { journey } from "./journey.ts";
import { createPerson } from "./person.ts";

const settings = readOperatorSettings(process.env);
const places = {
  service: `http://localhost:${settings.port}`,
  sandbox: `http://localhost:${settings.sandboxPort}`,
};
const progress = createProgress(process.stdout);
const titleWidth = Math.max(...journey.map(({ title }) => title.length));

const isRunning = await fetch(`${places.service}/readyz`).then(
  ({ ok }) => ok,
  () => false,
);
if (!isRunning) exitWith(`Nothing is ready at ${places.service}. Run \`bun start\` first, or set PORT to its port.`);

const person = createPerson(places);
const startedAt = performance.now();
for (const { title, run } of journey) {
  progress.begin(title);
  try {
    progress.print(`✓ ${title.padEnd(titleWidth)}  ${await run(person)}`);
  } catch (error) {
    progress.print(`✗ ${title}`);
    exitWith(error instanceof Error ? error.message : String(error));
  }
}
progress.print(`\nThe whole journey took ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);

function exitWith(fault: string): never {
  process.stderr.write(`cardkeep demo: ${fault}\n`);
  process.exit(1);
}
