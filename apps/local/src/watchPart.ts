/** A part that must not end by itself, and that can be restarted on request. */
import { readLogEnd } from "./part.ts";

interface Running {
  /** Resolves with the reason when the part has ended. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface WatchedPart<P extends Running> {
  /** The part as it was started first. */
  readonly part: P;
  /** Stops the part, also one that is being restarted. */
  stop(): Promise<void>;
  /** Ends the part by `end` and starts it again. Restarts run one after the other. */
  restart(end: (part: P) => Promise<void>): Promise<void>;
}

/** Starts a part and watches it. If it ends without a stop or restart, `fail` gets the reason and the end of its log. */
export async function watchPart<P extends Running>(input: {
  name: string;
  logFile: string;
  start(): P | Promise<P>;
  fail(message: string): void;
}): Promise<WatchedPart<P>> {
  const { name, logFile, start, fail } = input;
  const expected = new WeakSet<Running>();
  const startNext = async (): Promise<P> => {
    const started = await start();
    void started.ended.then((how) => {
      if (!expected.has(started)) fail(`the ${name} ended (${how}); the end of ${logFile}:\n${readLogEnd(logFile)}`);
    });
    return started;
  };
  const first = await startNext();
  let part = first;
  let isStopping = false;
  let lastRestart = Promise.resolve();
  return {
    part: first,
    stop: async () => {
      isStopping = true;
      // A restart that failed has been reported.
      await lastRestart.catch(() => null);
      expected.add(part);
      await part.stop();
    },
    restart: (end) => {
      lastRestart = lastRestart.then(async () => {
        if (isStopping) return;
        expected.add(part);
        await end(part);
        part = await startNext();
      });
      lastRestart.catch((error: unknown) => fail(`the ${name} was not started again: ${String(error)}`));
      return lastRestart;
    },
  };
}
