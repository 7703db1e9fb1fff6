/** Callbacks, delivered as partners deliver them. */
import type { Runtime } from "@cardkeep/runtime/compose";
import { SandboxError } from "./route.ts";

/** How long a service that does not answer is asked again; a single answer may take as long as partners wait. */
const deliverMsMax = 2_000;
const deliverEveryMs = 250;
const answerMsMax = 5_000;

/** Delivers a callback until the service takes it. @throws SandboxError 422 when it does not */
export async function deliver(
  runtime: Runtime,
  callback: { path: string; headers: Record<string, string>; body: string },
): Promise<void> {
  // The server of this machine, which need not be reachable under its public address.
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

/** The status that a request was answered with, or null when it was not. */
async function post(url: string, headers: Record<string, string>, body: string): Promise<number | null> {
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(answerMsMax) });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}
