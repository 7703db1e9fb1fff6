/** What must be stopped after this process's tests. */
const ends: (() => Promise<void>)[] = [];

/** Calls `end` after the last test. */
export const atEnd = (end: () => Promise<void>): void => void ends.push(end);

/**
 * Stops everything, in reverse order, also what comes after an end that fails: a server that stays keeps its data.
 * @throws the first failure
 */
export async function endEverything(): Promise<void> {
  const failures: unknown[] = [];
  for (let end = ends.pop(); end; end = ends.pop()) await end().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
