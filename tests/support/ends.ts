/** What has to be ended when this process's tests are over. */
const ends: (() => Promise<void>)[] = [];

/** Has `end` called after the last test. */
export const atEnd = (end: () => Promise<void>): void => void ends.push(end);

/** Ends everything, last come first. */
export async function endEverything(): Promise<void> {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
}
