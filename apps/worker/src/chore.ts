import { isUnavailable } from "@cardkeep/domain/core/errors";
import type { Log } from "@cardkeep/runtime/log";

/** Periodic work of a worker. */
export interface Chore {
  /** Runs it now. If it is running, runs it once more afterwards. */
  wake(): void;
  /** Resolves when it does not run and will not run again. */
  stop(): Promise<void>;
}

/** A turn comes by this share of the period earlier or later. */
const spread = 0.25;

/**
 * Runs a chore after `firstMs`, and then about every `everyMs`, never twice at once. Its turns are spread by a quarter, so that the chores
 * of many workers do not stay in step after an outage.
 *
 * A failure is logged with the chore's name, once until the chore succeeds again. The chore runs again at its next
 * turn.
 */
export function startChore(
  log: Log,
  input: { name: string; firstMs: number; everyMs: number; run: () => Promise<void>; onFailure: () => void },
): Chore {
  const { name, firstMs, everyMs, run, onFailure } = input;
  let current = Promise.resolve();
  let [isIdle, isWanted, isStopped, isFailing] = [true, false, false, false];
  const report = (error: unknown): void => {
    if (isFailing) log.debug({ err: error, chore: name }, "the chore fails again");
    else if (isUnavailable(error)) log.warn({ err: error, chore: name }, "the chore cannot run");
    else log.error({ err: error, chore: name }, "the chore failed");
    isFailing = true;
    onFailure();
  };
  const runOnce = async (): Promise<void> => {
    try {
      await run();
      isFailing = false;
    } catch (error) {
      report(error);
    }
    isIdle = true;
    if (isWanted) wake();
  };
  const wake = (): void => {
    isWanted = true;
    if (!isIdle || isStopped) return;
    [isIdle, isWanted] = [false, false];
    current = runOnce();
  };
  const drawTurnMs = (): number => everyMs * (1 + spread * (2 * Math.random() - 1));
  const takeTurn = (): void => {
    timer = setTimeout(takeTurn, drawTurnMs());
    wake();
  };
  let timer = setTimeout(takeTurn, firstMs);
  return {
    wake,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
