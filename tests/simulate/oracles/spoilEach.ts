/** Whether each oracle notices what it is for: its invariant is broken by hand, one after the other, in a world that holds them all. */
import type { OracleName } from "./names.ts";
import type { Oracle, Reign } from "./oracles.ts";
import type { Spoil } from "./spoils.ts";

interface Parts {
  readonly oracles: Partial<Record<OracleName, Oracle>>;
  readonly spoils: Readonly<Record<string, Spoil>>;
  /** Asks an oracle as an actor of the world. */
  ask(oracle: Oracle): Promise<string[]>;
  note(text: string): void;
}

/**
 * The oracles that say nothing new of their broken invariant, in words. Those of single messages say it in the world's own list. Words in
 * brackets behind a name have to be said there: one oracle looks at several things.
 */
export async function findUnnoticed({ oracles, spoils, ask, note }: Parts, given: Reign): Promise<string[]> {
  const unnoticed: string[] = [];
  for (const [key, spoil] of Object.entries(spoils)) {
    const [, name = key, words = ""] = /^(.*) \((.*)\)$/.exec(key) ?? [];
    const listOwn: Oracle = async ({ world }) =>
      [...world.broken].filter((each) => each.startsWith(`${name}: `) && each.includes(words));
    const oracle = words === "" ? (oracles[name as OracleName] ?? listOwn) : listOwn;
    const before = new Set(await ask(oracle));
    const thrown: string[] = [];
    await spoil(given).catch((error: unknown) => thrown.push(error instanceof Error ? error.message : String(error)));
    const said = [...thrown.filter((each) => each.startsWith(`${name}: `)), ...(await ask(oracle))];
    const after = said.filter((each) => !before.has(each));
    note(`${key} is broken by hand: ${after[0] ?? "its oracle says nothing"}`);
    if (after.length === 0)
      unnoticed.push(
        `the oracle of ${key} says nothing of what it is for${thrown.map((each) => ` (${each})`).join("")}`,
      );
  }
  return unnoticed;
}
