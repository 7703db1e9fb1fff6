/** The order in which a run starts its files. */

/** Whether a test file shares the service of its process. */
export const isSharing = (text: string): boolean => text.includes('/shareService.ts"');

/** Longer than any file takes. */
const dayMs = 86_400_000;

/**
 * Durations as the runner reads them: it starts the slowest file first. Files that share a service come last, so that its worker does
 * not idle between them. A file without a measured duration counts as a short one.
 */
export const orderFiles = (
  sources: ReadonlyMap<string, string>,
  durations: Readonly<Record<string, number>>,
): Record<string, number> =>
  Object.fromEntries(
    [...sources].map(([file, text]) => [file, (durations[file] ?? 1) + (isSharing(text) ? 0 : dayMs)]),
  );
