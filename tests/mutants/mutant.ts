/** A mutant: one place of the code changed so that a guarantee is broken. */

export interface Mutant {
  /** The guarantee that it breaks, in a few words. */
  breaks: string;
  file: string;
  /** Found exactly once in the file. As short as that allows, so that a change beside it leaves the mutant as it is. */
  from: string;
  to: string;
  /** Test files one of which fails with the mutant. */
  killedBy: readonly string[];
}

/**
 * The file's text with the mutant in it.
 * @throws Error where `from` is not there exactly once: the code has changed, and the mutant has to follow it
 */
export function mutate(text: string, { file, from, to, breaks }: Omit<Mutant, "killedBy">): string {
  const found = text.split(from).length - 1;
  if (found !== 1) throw new Error(`"${breaks}": ${file} has ${found} times instead of once: ${from}`);
  return text.replace(from, () => to);
}

/** Mutants of one file that the same tests kill: what each breaks, and the text with its replacement. */
export const mutantsOf = (
  file: string,
  killedBy: readonly string[],
  changes: readonly (readonly [breaks: string, from: string, to: string])[],
): Mutant[] => changes.map(([breaks, from, to]) => ({ breaks, file, from, to, killedBy }));
