/** Bounds the log of a program that runs for long. It keeps its file open, so the file is emptied and not moved. */
import { copyFile, stat, truncate } from "node:fs/promises";

/** When a log is rotated, and how often its size is looked at. */
export interface LogLimit {
  readonly bytesMax: number;
  readonly everyMs: number;
}

const limitDefault: LogLimit = { bytesMax: 32 * 1024 * 1024, everyMs: 10_000 };

/**
 * Copies a log to `<path>.1` and empties it whenever it is longer than the limit. Lines of the moment between both are lost.
 * Returns a function that ends this.
 */
export function boundLog(path: string, { bytesMax, everyMs }: LogLimit = limitDefault): () => void {
  const rotate = async (): Promise<void> => {
    if ((await stat(path)).size <= bytesMax) return;
    await copyFile(path, `${path}.1`);
    await truncate(path);
  };
  // A folder that was deleted meanwhile has no log to bound.
  const timer = setInterval(() => void rotate().catch(() => null), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
