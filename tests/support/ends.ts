/** What must be stopped after this process's tests. */
const ends: (() => Promise<void>)[] = [];

/** Calls `end` after the last test. */
export const atEnd = (end: () => Promise<void>): void => void ends.push(end);

/** Stops everything, in reverse order. */
export async function endEverything(): Promise<void> {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
}
