/** Delivers callbacks with the retries of partners. */
import { type Callback, sendWithFaults } from "./faults/callbackFaults.ts";
import { SandboxError } from "./core/route.ts";
import type { SandboxRuntime } from "./core/openStore.ts";

/** How long a caller waits while the service does not answer. One answer may take as long as partners wait. */
const deliverMsMax = 2_000;
const deliverEveryMs = 250;
const answerMsMax = 5_000;

/** How a partner repeats what was not taken, a refusal like no answer. Its real pauses are minutes and hours. */
export interface Retries {
  readonly pauseMsMin: number;
  readonly pauseMsMax: number;
  readonly count: number;
}

/** Never repeated: the caller learns at once that it was not taken. */
export const noRetries: Retries = { pauseMsMin: 0, pauseMsMax: 0, count: 0 };

/**
 * Delivers a callback until the service accepts it. What is refused is repeated in the background, and so is what has no
 * answer in time.
 *
 * @param sign signs a repetition anew, where the signature has a time
 * @throws SandboxError 422 when the service does not accept it at once
 */
export const deliver = (
  runtime: SandboxRuntime,
  callback: Callback,
  retries: Retries,
  sign: (callback: Callback) => Promise<Callback> | Callback = (each) => each,
): Promise<void> =>
  sendWithFaults(runtime, callback, {
    send: async (each) => {
      const status = await sendInTime(runtime, each);
      if (isTaken(status)) return;
      repeat(runtime, () => sign(each), { pauseMs: retries.pauseMsMin, left: retries.count, retries });
      throw new SandboxError(422, `The service answered the callback with ${status ?? "nothing"}`);
    },
    sendOnce: (each) => sendOnce(runtime, each),
  });

/** Whether a partner counts a callback as delivered. */
export const isTaken = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

async function sendInTime(runtime: SandboxRuntime, callback: Callback): Promise<number | null> {
  const deadline = Date.now() + deliverMsMax;
  for (;;) {
    const status = await sendOnce(runtime, callback);
    if (status !== null && status < 500) return status;
    if (Date.now() > deadline) return status;
    await Bun.sleep(deliverEveryMs);
  }
}

interface Repetition {
  pauseMs: number;
  left: number;
  retries: Retries;
}

/** Repeats in the background what the service did not take. */
export function repeat(
  runtime: SandboxRuntime,
  build: () => Promise<Callback> | Callback,
  { pauseMs, left, retries }: Repetition,
): void {
  if (left <= 0) return;
  const next = { pauseMs: Math.min(2 * pauseMs, retries.pauseMsMax), left: left - 1, retries };
  const attempt = async (): Promise<void> => {
    const status = await sendOnce(runtime, await build());
    if (isTaken(status)) return;
    if (next.left === 0) runtime.log.warn({ status }, "a callback was not delivered");
    repeat(runtime, build, next);
  };
  const timer = setTimeout(() => {
    attempt().catch((error: unknown) => runtime.log.warn({ err: error }, "a callback was not repeated"));
  }, pauseMs);
  timer.unref();
}

/** Delivers a callback once. Returns the status of the answer, or null without an answer. */
export async function sendOnce({ settings }: SandboxRuntime, callback: Callback): Promise<number | null> {
  // The server runs on this machine; its public address need not be reachable.
  const url = `http://127.0.0.1:${settings.port}${callback.path}`;
  const headers = { "Content-Type": "application/json", ...callback.headers };
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const response = await fetch(url, { method: "POST", headers, body: callback.body, signal });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}
