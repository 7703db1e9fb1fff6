/**
 * `bun run test:kit [uses] [loops]`: the testing kit as a stranger has it, from tarballs in a folder of its own with vitest. A card is used so often,
 * by default 200 times, beside so many busy loops, by default 12. Each use is a test, so one that fails by chance is seen.
 */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { startBusyLoops } from "../support/busy.ts";

const root = new URL("../..", import.meta.url).pathname;
const vitest = "3.2.4";
const setUpMs = 300_000;
/** A use takes tens of milliseconds on an idle machine. */
const useMs = 60_000;

const readCount = (given: string | undefined, fallback: number): number => {
  const count = Number(given ?? fallback);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  process.stderr.write("test:kit: give how many uses, and how many busy loops\n");
  return process.exit(2);
};
const uses = readCount(process.argv[2], 200);
const loops = readCount(process.argv[3], 12);

/** Uses that are approved, declined for their amount, and in another currency, in turns. */
const suite = `import { startCardkeep } from "@cardkeep/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
let cardkeep;
let card;
beforeAll(async () => {
  cardkeep = await startCardkeep();
  ({ cards: [card] } = await cardkeep.person({ balance: "100000", card: "virtual" }));
}, ${setUpMs});
afterAll(() => cardkeep?.stop(), ${setUpMs});
for (let use = 0; use < ${uses}; use++)
  test("use " + use, async () => {
    const isTooMuch = use % 4 === 3;
    const used = await cardkeep.useCard(card, { amount: isTooMuch ? 99_999_999 : 100 + use });
    expect(used.approved).toBe(!isTooMuch);
  }, ${useMs});
`;

async function run(command: readonly string[], cwd: string): Promise<number> {
  return Bun.spawn([...command], { cwd, stdio: ["ignore", "inherit", "inherit"] }).exited;
}

async function mustRun(command: readonly string[], cwd: string): Promise<void> {
  const code = await run(command, cwd);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}`);
}

/** Installs the packages and vitest by npm, as the quick start says. */
async function install(folder: string): Promise<void> {
  const tarballs = join(folder, "tarballs");
  await mustRun([process.execPath, "run", "pack", "--out", tarballs], root);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "kit", private: true, type: "module" }));
  await writeFile(join(folder, "kit.test.mjs"), suite);
  const packed = (await readdir(tarballs)).filter((name) => name.endsWith(".tgz")).map((name) => join(tarballs, name));
  await mustRun(["npm", "install", "--no-audit", "--no-fund", ...packed, `vitest@${vitest}`], folder);
}

const folder = await mkdtemp(join(tmpdir(), "cardkeep-kit-"));
let code = 1;
try {
  await install(folder);
  const load = startBusyLoops(loops);
  try {
    code = await run(["npx", "vitest", "run", "--reporter=dot"], folder);
  } finally {
    await load.stop();
  }
  process.stdout.write(
    `${uses} uses beside ${loops} busy loops, load average ${loadavg()[0]?.toFixed(1)} at the end\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(code);
