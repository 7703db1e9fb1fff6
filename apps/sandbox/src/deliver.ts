/** Delivers callbacks with the retries of partners. */
import type { Runtime } from "@cardkeep/runtime/compose";
import { SandboxError } from "./route.ts";

/** How long the sandbox retries while the service does not answer. One answer may take as long as partners wait. */
const deliverMsMax = 2_000;
const deliverEveryMs = 250;
const answerMsMax = 5_000;

/**
 * Delivers a callback until the service accepts it.
 * @throws SandboxError 422 when the service does not accept it
 */
export async function deliver(
  runtime: Runtime,
  callback: { path: string; headers: Record<string, string>; body: string },
): Promise<void> {
  // The server runs on this machine; its public address need not be reachable.
  const url = `http://127.0.0.1:${runtime.settings.port}${callback.path}`;
  const headers = { "Content-Type": "application/json", ...callback.headers };
  const deadline = Date.now() + deliverMsMax;
  for (;;) {
    const status = await post(url, headers, callback.body);
    if (status !== null && status >= 200 && status < 300) return;
    const isFinal = status !== null && status < 500;
    if (isFinal || Date.now() > deadline) {
      throw new SandboxError(422, `The service answered the callback with ${status ?? "nothing"}`);
    }
    await Bun.sleep(deliverEveryMs);
  }
}

/** The status of the answer, or null without an answer. */
async function post(url: string, headers: Record<string, string>, body: string): Promise<number | null> {
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(answerMsMax) });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}
