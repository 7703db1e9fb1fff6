/** Plays each mutant of `tests/mutants/forge.ts`: a world is made with it, in which forge has to find something broken. */
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getAddress } from "viem";
import { copyCheckout } from "../mutants/copy.ts";
import { forgeMutants } from "../mutants/forge.ts";
import { type Mutant, mutate } from "../mutants/mutant.ts";
import { playWorld, workFolder } from "./play.ts";
import { changeCode, type Part } from "./change.ts";
import { makeWorld } from "./world.ts";

/** A mutant that so many calls do not notice counts as survived. */
const callsMax = 30_000;
/** Without a mutant, so many show that the world itself is well. */
const controlCalls = 5_000;
const unchanged = join(workFolder, "unchanged");
const isCode = ({ file }: Mutant): boolean => file.startsWith("0x");
const corrections = "apps/local/src/patch.ts";
const firstCorrection = "const corrections: readonly Correction[] = [\n";

/** The part of a world that follows from a file; null where the whole account has to be deployed anew. */
function partOf({ file }: Mutant): Part | null {
  if (file.includes("/safe-contracts/")) return "safe";
  if (file.startsWith("@openzeppelin/")) return "token";
  if (file.includes("/entryPolicy.ts")) return "policy";
  return file.includes("/listSetUpSteps.ts") ? null : "delay";
}

/** What a mutant changes in the checkout; a package's source is changed by a correction. */
function locate(mutant: Mutant): Omit<Mutant, "killedBy"> | null {
  const { file, from, to, breaks } = mutant;
  if (isCode(mutant)) return null;
  if (!file.startsWith("@")) return mutant;
  const added = `  { path: ${JSON.stringify(file)}, replacements: [[${JSON.stringify(from)}, ${JSON.stringify(to)}]] },\n`;
  return { breaks, file: corrections, from: firstCorrection, to: `${firstCorrection}${added}` };
}

/** Makes the mutant's world: the one without a mutant, whose one part is made again. */
async function makeWorldIn(copy: string, folder: string, seed: number, part: Part | null): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await cp(unchanged, folder, { recursive: true });
  const args = part === null ? ["world.ts", folder, String(seed)] : ["change.ts", folder, part, String(seed)];
  const [script = "", ...rest] = args;
  const child = Bun.spawn([process.execPath, join("tests/forge", script), ...rest], {
    cwd: copy,
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(said);
}

interface Verdict {
  isKilled: boolean;
  said: string;
}

/** Plays a world with a mutant; for null, the world as it is with the Safe compiled from its source. */
async function play(
  binary: string,
  mutant: Mutant | null,
  { copy, folder, seed }: { copy: string; folder: string; seed: number },
): Promise<Verdict> {
  const change = mutant && locate(mutant);
  const path = change && join(copy, change.file);
  const text = path && (await Bun.file(path).text());
  if (change && path && text !== null) await Bun.write(path, mutate(text, change));
  try {
    if (mutant && isCode(mutant)) {
      await rm(folder, { recursive: true, force: true });
      await cp(unchanged, folder, { recursive: true });
      await changeCode(folder, getAddress(mutant.file), (code) => mutate(code, mutant));
    } else await makeWorldIn(copy, folder, seed, mutant ? partOf(mutant) : "safe");
  } finally {
    if (path && text !== null) await Bun.write(path, text);
  }
  const { isGood, story, calls } = await playWorld(binary, {
    folder,
    calls: mutant === null ? controlCalls : callsMax,
    seed,
    isShrunk: false,
  });
  return { isKilled: !isGood, said: /\[FAIL: ([^\]]+)/.exec(story)?.[1] ?? `${calls} calls noticed nothing` };
}

/** Plays the mutants whose file or words contain one of the names, or all without a name, two at a time, and says whether all were killed. */
export async function playMutants(
  binary: string,
  names: readonly string[],
  seed: number,
  say: (line: string) => void,
): Promise<boolean> {
  const chosen = forgeMutants.filter(
    ({ file, breaks }) => names.length === 0 || names.some((name) => `${file} ${breaks}`.includes(name)),
  );
  const root = await mkdtemp(join(tmpdir(), "cardkeep-forge-"));
  const waiting: (Mutant | null)[] = [...chosen, null];
  await mkdir(unchanged, { recursive: true });
  await makeWorld(unchanged, seed);
  let [killed, isControlGood] = [0, true];
  const playAll = async (place: number) => {
    const copy = join(root, String(place));
    await copyCheckout(copy);
    const folder = join(workFolder, `mutant-${place}`);
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const startedAt = performance.now();
      const { isKilled, said } = await play(binary, mutant, { copy, folder, seed });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      if (mutant === null) {
        isControlGood = !isKilled;
        say(
          `${isKilled ? "FAILED  " : "played  "} no mutant, with the Safe compiled from its source: ${said}  ${seconds} s`,
        );
        continue;
      }
      if (isKilled) killed++;
      say(`${isKilled ? "killed  " : "SURVIVED"} ${mutant.breaks} (${mutant.file}): ${said}  ${seconds} s`);
    }
  };
  try {
    await Promise.all([0, 1].map(playAll));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  say(`${killed} of ${chosen.length} mutants killed`);
  return isControlGood && chosen.length > 0 && killed === chosen.length;
}
