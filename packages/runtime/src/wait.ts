/** Waits `ms`, or until the process stops. Answers whether the process goes on. */
export async function wait(ms: number, stopping: AbortSignal): Promise<boolean> {
  if (stopping.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const timer = setTimeout(wake, ms);
  stopping.addEventListener("abort", wake);
  await promise;
  clearTimeout(timer);
  stopping.removeEventListener("abort", wake);
  return !stopping.aborted;
}
