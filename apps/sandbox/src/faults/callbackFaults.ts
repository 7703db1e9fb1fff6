/** Faults on the way of a partner's callback to the service. */
import { z } from "zod";
import { activeFaultsOf } from "./activeFaults.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

export interface Callback {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How callbacks reach the service. */
interface Way {
  /** Delivers until the service accepts it. @throws SandboxError 422 when the service does not accept it */
  send(callback: Callback): Promise<void>;
  /** Delivers once. Returns the status of the answer, or null without one. */
  sendOnce(callback: Callback): Promise<number | null>;
}

/** Callbacks that wait for the next one of their partner. */
const held = new WeakMap<SandboxRuntime, Map<string, () => void>>();

/**
 * Delivers a callback as the faults say that are on; without one, by `send`.
 *
 * A callback that arrives later or never counts as delivered here: a partner's own action does not wait for it.
 * @throws SandboxError 422 when the service does not accept it
 */
export async function sendWithFaults(runtime: SandboxRuntime, callback: Callback, way: Way): Promise<void> {
  const faults = activeFaultsOf(runtime);
  const waiting = held.get(runtime) ?? new Map<string, () => void>();
  held.set(runtime, waiting);
  const release = waiting.get(callback.path);
  const subject = describeCallback(callback);
  if (faults.hit("callbacks.lose", subject)) return;
  const forge = faults.hit("callbacks.forge", subject);
  if (forge) await sendForged(runtime, callback, way);
  if (forge?.place === "instead") return;
  const duplicate = faults.hit("callbacks.duplicate", subject);
  const send = duplicate ? () => sendTwice(runtime, callback, way, duplicate.ms) : () => way.send(callback);
  const delay = faults.hit("callbacks.delay", subject);
  if (delay) return later(runtime, delay.ms, send);
  const shuffle = faults.hit("callbacks.shuffle", subject);
  if (shuffle) return later(runtime, shuffle.ms * shuffle.share, send);
  const reorder = release ? null : faults.hit("callbacks.reorder", subject);
  if (reorder) {
    const timer = setTimeout(() => waiting.get(callback.path)?.(), reorder.ms);
    waiting.set(callback.path, () => {
      clearTimeout(timer);
      waiting.delete(callback.path);
      later(runtime, 0, send);
    });
    return;
  }
  await send().finally(release);
}

/**
 * Requests an answer of the service by `ask` as the faults say that are on. Returns null if no answer comes in time. A
 * request has no next one to wait for, so `callbacks.reorder` does not hit it.
 */
export async function requestWithFaults(
  runtime: SandboxRuntime,
  callback: Callback,
  way: Pick<Way, "sendOnce"> & { limitMs: number; ask(): Promise<Response | null> },
): Promise<Response | null> {
  const faults = activeFaultsOf(runtime);
  const subject = describeCallback(callback);
  if (faults.hit("callbacks.lose", subject)) return null;
  const forge = faults.hit("callbacks.forge", subject);
  if (forge) await sendForged(runtime, callback, way);
  if (forge?.place === "instead") return null;
  const delay = faults.hit("callbacks.delay", subject);
  if (delay) await Bun.sleep(Math.min(delay.ms, way.limitMs));
  const duplicate = faults.hit("callbacks.duplicate", subject);
  const [answer] = await Promise.all(duplicate ? [way.ask(), way.ask()] : [way.ask()]);
  if (faults.hit("callbacks.late", subject)) return null;
  const bare = answer ? faults.hit("callbacks.bare", subject) : null;
  return bare ? new Response(answer?.body ?? null, { status: bare.status }) : (answer ?? null);
}

/** The text for `match`: method, path, and the type of the event. */
const describeCallback = ({ path, body }: Callback): string => `POST ${path} ${readType(body)}`;

const typed = z.object({ type: z.string() });

function readType(body: string): string {
  // A logout token arrives as a form.
  const parsed = body.startsWith("{") ? typed.safeParse(JSON.parse(body)) : null;
  return parsed?.success ? parsed.data.type : "";
}

function later(runtime: SandboxRuntime, ms: number, send: () => Promise<void>): void {
  setTimeout(() => {
    send().catch((error: unknown) => runtime.log.warn({ err: error }, "a callback was not delivered"));
  }, ms);
}

async function sendTwice(runtime: SandboxRuntime, callback: Callback, { send }: Way, ms: number): Promise<void> {
  if (ms === 0) return void (await Promise.all([send(callback), send(callback)]));
  await send(callback);
  later(runtime, ms, () => send(callback));
}

/** The headers with the partners' signatures. */
const signatureHeaders = ["Stripe-Signature", "X-Payload-Digest", "webhook-signature"];

/** Delivers a copy with a wrong signature. The service must refuse it. */
async function sendForged(
  runtime: SandboxRuntime,
  callback: Callback,
  { sendOnce }: Pick<Way, "sendOnce">,
): Promise<void> {
  const headers = Object.entries(callback.headers).map(([name, value]): [string, string] => [
    name,
    signatureHeaders.includes(name) ? value.replace(/[^,=](?=[^,=]{20,}=*$)/, changeDigit) : value,
  ]);
  const status = await sendOnce({ ...callback, headers: Object.fromEntries(headers) });
  if (status === null || status >= 300) return;
  activeFaultsOf(runtime).countAccepted();
  runtime.log.error({ path: callback.path }, "the service accepted a callback with a wrong signature");
}

const changeDigit = (digit: string): string => (digit === "0" ? "1" : "0");
