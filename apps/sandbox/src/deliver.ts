/** Delivers callbacks with the retries of partners. */
import { type Callback, sendWithFaults } from "./faults/callbackFaults.ts";
import { SandboxError } from "./route.ts";
import type { SandboxRuntime } from "./openStore.ts";

/** How long the sandbox retries while the service does not answer. One answer may take as long as partners wait. */
const deliverMsMax = 2_000;
const deliverEveryMs = 250;
const answerMsMax = 5_000;

/**
 * Delivers a callback until the service accepts it.
 * @throws SandboxError 422 when the service does not accept it
 */
export const deliver = (runtime: SandboxRuntime, callback: Callback): Promise<void> =>
  sendWithFaults(runtime, callback, {
    send: (each) => send(runtime, each),
    sendOnce: (each) => sendOnce(runtime, each),
  });

async function send(runtime: SandboxRuntime, callback: Callback): Promise<void> {
  const deadline = Date.now() + deliverMsMax;
  for (;;) {
    const status = await sendOnce(runtime, callback);
    if (status !== null && status >= 200 && status < 300) return;
    const isFinal = status !== null && status < 500;
    if (isFinal || Date.now() > deadline) {
      throw new SandboxError(422, `The service answered the callback with ${status ?? "nothing"}`);
    }
    await Bun.sleep(deliverEveryMs);
  }
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
