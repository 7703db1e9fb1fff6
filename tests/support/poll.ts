const pauseMsMin = 25;
const pauseMsMax = 100;
/** What takes long is asked about less often. */
const pauseGrowth = 1.2;

/**
 * Waits until `condition` answers true, asking again and again; throws when it does not within the time, which is there for
 * what never happens: how fast the machine is does not matter.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { timeoutMs = 30_000, everyMs }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let pauseMs = everyMs ?? pauseMsMin;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not true within ${timeoutMs} ms: ${condition}`);
    await Bun.sleep(pauseMs);
    if (everyMs === undefined) pauseMs = Math.min(pauseMs * pauseGrowth, pauseMsMax);
  }
}
