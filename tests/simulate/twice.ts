/** Plays a plan two times and compares the traces. */
import { rm } from "node:fs/promises";
import { playApart, type Said } from "./child.ts";

/** @param options as `main.ts` takes them */
export async function playTwice(seed: number, options: readonly string[]): Promise<Said> {
  const traces = [1, 2].map((time) => `.cardkeep/simulations/${seed}-${time}.trace`);
  // A trace is written over an older one, and keeps what is longer of it.
  const removeAll = () => Promise.all(traces.map((path) => rm(path, { force: true })));
  await removeAll();
  const [first, second] = [
    await playApart([...options, "--trace", traces[0] ?? ""]),
    await playApart([...options, "--trace", traces[1] ?? ""]),
  ];
  if (first.digest !== second.digest)
    return { ...first, broken: [...first.broken, `two plays differ from ${await findDifference(traces)}`] };
  await removeAll();
  return first;
}

const lengthMax = 400;

/** The first line of which two traces say two things, with both. */
async function findDifference(paths: readonly string[]): Promise<string> {
  const [first = [], second = []] = await Promise.all(
    paths.map(async (path) => (await Bun.file(path).text()).split("\n")),
  );
  const at = first.findIndex((line, index) => line !== second[index]);
  const show = (lines: readonly string[]): string => (lines[at] ?? "nothing").slice(0, lengthMax);
  return `line ${at + 1} of ${paths.join(" and ")}:\n  ${show(first)}\n  ${show(second)}\n `;
}
