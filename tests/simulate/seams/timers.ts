/** `node:timers/promises` of a simulated world: it waits by the world's time. */
import { sleepVirtually } from "../virtualTime.ts";

export * from "node:timers/promises";

/** @public */
export async function setTimeout<T>(
  ms = 0,
  value?: T,
  { signal }: { signal?: AbortSignal } = {},
): Promise<T | undefined> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => reject(new DOMException("The operation was aborted", "AbortError"));
    signal?.addEventListener("abort", abort, { once: true });
    void sleepVirtually(ms).then(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
  });
  return value;
}
