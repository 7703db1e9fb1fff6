/** Each look is a request or a query, and most waits take longer than a tenth of a second. */
const pauseMsMin = 40;
const pauseMsMax = 100;
/** The pauses grow for long waits. */
const pauseGrowth = 1.5;

/**
 * Waits until `condition` returns true and polls it; throws after the time limit. The limit is for conditions that
 * never become true, so that the speed of the machine does not matter.
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

/**
 * Plays until the time that it returns is below the bound, at most five times or as often as said. A busy machine only adds to a time, so the
 * shortest one is nearest to what the product takes.
 * @throws Error with all times
 */
export async function expectWithin(msMax: number, play: () => Promise<number>, playsMax = 5): Promise<void> {
  const times: number[] = [];
  while (times.length < playsMax) {
    const ms = await play();
    if (ms < msMax) return;
    times.push(Math.round(ms));
  }
  throw new Error(`It took ${times.join(", ")} ms; the bound is ${msMax} ms`);
}

/**
 * Asks again, at most 20 times or as often as said, until an answer is as it has to be: a busy machine may be too slow for a
 * decision in time.
 */
export async function retry<T>(ask: () => Promise<T>, isDone: (answer: T) => boolean, triesMax = 20): Promise<T> {
  let answer = await ask();
  for (let triesLeft = triesMax; !isDone(answer) && triesLeft > 0; triesLeft--) answer = await ask();
  return answer;
}
