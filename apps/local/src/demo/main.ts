/** `bun run demo`: one person's whole journey against a running `bun start`, reported on the terminal; exit code 0 at its end. */
import { createColors } from "@cardkeep/terminal/colors";
import { createLinks } from "@cardkeep/terminal/links";
import { createProgress } from "@cardkeep/terminal/progress";
import { buildSummary } from "./summary.ts";
import { journey } from "./journey.ts";
import { createPerson } from "./person.ts";
import { findMissing, readAddresses } from "./addresses.ts";

const exitWith = (fault: string): never => {
  process.stderr.write(`cardkeep demo: ${fault}\n`);
  process.exit(1);
};
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

try {
  const addresses = readAddresses(process.env);
  const missing = await findMissing(addresses);
  if (missing !== null) exitWith(missing);
  const colors = createColors(process.stdout);
  const progress = createProgress({ lines: process.stdout, activity: process.stderr });
  const titleWidth = Math.max(...journey.map(({ title }) => title.length));
  const person = createPerson(addresses);
  const startedAt = performance.now();

  progress.begin("", journey.length);
  for (const [index, { title, run }] of journey.entries()) {
    progress.count(index, journey.length, title);
    try {
      progress.print(`${colors.ok("✓")} ${title.padEnd(titleWidth)}  ${await run(person)}`);
    } catch (error) {
      progress.print(`${colors.fault("✗")} ${title}`);
      progress.end();
      exitWith(messageOf(error));
    }
  }
  progress.end();
  progress.print(`\nThe whole journey took ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`);
  for (const line of buildSummary(person, addresses, { colors, links: createLinks(process.stdout) }))
    progress.print(line);
} catch (error) {
  exitWith(messageOf(error));
}
