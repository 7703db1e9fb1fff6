/** The order in which a run starts its files. */

/** Whether a test file shares the service of its process. */
export const isSharing = (text: string): boolean => text.includes('/shareService.ts"');

/** Whether it starts one of its own, for whose blocks, jobs and retries it mostly waits. */
const isWaiting = (text: string): boolean => text.includes('/service.ts"');

/**
 * Numbers as the runner reads durations: it starts the file with the highest first. The slowest begin first; those that compute are
 * spread among those that wait, so that the processor is never without work. Files that share a service come last, so that its
 * worker does not idle between them. A file without a measured duration counts as a short one.
 */
export function orderFiles(
  sources: ReadonlyMap<string, string>,
  durations: Readonly<Record<string, number>>,
): Record<string, number> {
  const durationOf = (file: string): number => durations[file] ?? 1;
  const listSlowestFirst = (isOfThem: (text: string) => boolean): string[] =>
    [...sources]
      .flatMap(([file, text]) => (isOfThem(text) ? [file] : []))
      .toSorted((a, b) => durationOf(b) - durationOf(a));
  const place = (files: readonly string[]) => {
    const total = files.reduce((sum, file) => sum + durationOf(file), 0);
    let before = 0;
    return files.map((file) => {
      const share = before / total;
      before += durationOf(file);
      return { file, share };
    });
  };
  const own = listSlowestFirst((text) => !isSharing(text) && isWaiting(text));
  const computing = listSlowestFirst((text) => !isSharing(text) && !isWaiting(text));
  const spread = [...place(own), ...place(computing)].toSorted((a, b) => a.share - b.share).map(({ file }) => file);
  const order = [...spread, ...listSlowestFirst(isSharing)];
  return Object.fromEntries(order.map((file, index) => [file, order.length - index]));
}
