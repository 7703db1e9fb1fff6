/**
 * Runs of `bun run simulate --watch`: each is a file of JSON lines in the folder of this installation, which grows while it is played.
 *
 * - message: what was released: a statement, a call of the node, a request, its answer, a timer, a job.
 * - tale: what happened in words: who did what, what was lost, which invariant broke.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const message = z.object({
  step: z.int(),
  /** The process that it came from, and what it did there. */
  actor: z.string(),
  kind: z.string(),
  text: z.string(),
  /** What came back; null while it waits for a lock, or where nothing does. */
  said: z.string().nullable(),
});
const tale = z.object({ step: z.int(), actor: z.string(), tale: z.string() });
const end = z.object({ digest: z.string(), broken: z.array(z.string()) });

export type RunMessage = z.output<typeof message>;
export type RunTale = z.output<typeof tale>;

export interface Run {
  readonly seed: string;
  readonly messages: readonly RunMessage[];
  readonly tales: readonly RunTale[];
  /** Null while it is played, or where it was stopped. */
  readonly end: z.output<typeof end> | null;
}

const suffix = ".run.jsonl";
const folderOf = (home: string): string => join(home, "simulations");
const runName = /^\d{1,16}$/;

/** The seeds of the runs, the newest first. */
export async function listRuns(home: string): Promise<string[]> {
  const folder = folderOf(home);
  const names = await readdir(folder).catch(() => []);
  const runs = names
    .filter((name) => name.endsWith(suffix))
    .map(async (name) => {
      const { mtimeMs } = await stat(join(folder, name));
      return { seed: name.slice(0, -suffix.length), mtimeMs };
    });
  return (await Promise.all(runs)).toSorted((a, b) => b.mtimeMs - a.mtimeMs).map(({ seed }) => seed);
}

/** A run by its seed; null where there is none. A last line that is not whole yet is left out. */
export async function readRun(home: string, seed: string): Promise<Run | null> {
  const file = Bun.file(join(folderOf(home), `${seed}${suffix}`));
  if (!runName.test(seed) || !(await file.exists())) return null;
  const text = await file.text();
  const lines = Bun.JSONL.parse(text.slice(0, text.lastIndexOf("\n") + 1));
  const [messages, tales]: [RunMessage[], RunTale[]] = [[], []];
  let last: Run["end"] = null;
  for (const line of lines) {
    const asMessage = message.safeParse(line).data;
    const asTale = tale.safeParse(line).data;
    if (asMessage) messages.push(asMessage);
    else if (asTale) tales.push(asTale);
    else last = end.safeParse(line).data ?? last;
  }
  return { seed, messages, tales, end: last };
}
