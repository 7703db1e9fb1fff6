/** Runs one turn of a chore with a signal of its own: it is aborted when the worker stops, and after `turnMs`; null for no such end. */
export async function runTurn(
  { stopping, turnMs }: { stopping: AbortSignal; turnMs: number | null },
  run: (stopping: AbortSignal) => Promise<void>,
): Promise<void> {
  if (turnMs === null) return run(stopping);
  const turn = new AbortController();
  const end = () => turn.abort();
  const timer = setTimeout(end, turnMs);
  stopping.addEventListener("abort", end);
  if (stopping.aborted) end();
  try {
    await run(turn.signal);
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener("abort", end);
  }
}
