/** The institution's callbacks, signed by Standard Webhooks. */
import { listEmoneyRecords } from "@cardkeep/db/sandbox/emoneyRecords";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { deliver, noRetries, type Retries } from "../deliver.ts";
import type { Callback } from "../faults/callbackFaults.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const eventTypes = ["iban.updated", "profile.updated", "order.created", "order.updated", "profile.error"] as const;

export const subscription = z.object({
  id: z.string(),
  url: z.url(),
  secret: z.string(),
  types: z.array(z.enum(eventTypes)),
  state: z.enum(["active", "inactive"]),
});
export type Subscription = z.output<typeof subscription>;
type EventType = (typeof eventTypes)[number];

export async function listSubscriptions(runtime: SandboxRuntime): Promise<Subscription[]> {
  return (await listEmoneyRecords(runtime.store, "subscription")).map(({ data }) => subscription.parse(data));
}

/** The real one repeats within 12 hours. Source: docs.monerium.com, webhooks. */
const retries: Retries = { pauseMsMin: 250, pauseMsMax: 8_000, count: 10 };

/**
 * Delivers one callback to one subscription. A handshake is not repeated: without it there is no subscription.
 * @throws SandboxError 422 when the receiver does not accept it
 */
export async function notifyOne(runtime: SandboxRuntime, { url, secret }: Subscription, type: string, data?: object) {
  const happenedAt = await runtime.clock.now(runtime.db);
  const body = JSON.stringify({ type, timestamp: happenedAt.toISOString(), ...(data && { data }) });
  const id = `msg_${randomUUID().replaceAll("-", "")}`;
  const signNow = () => sign({ path: new URL(url).pathname, body }, { id, secret });
  await deliver(runtime, await signNow(), type === "subscription.created" ? noRetries : retries, signNow);
}

/** Signs by Standard Webhooks. The id stays the same for each attempt. */
async function sign(
  { path, body }: Pick<Callback, "path" | "body">,
  { id, secret }: { id: string; secret: string },
): Promise<Callback> {
  // A signed timestamp follows the wall clock.
  const timestamp = String(Math.floor(Date.now() / 1000));
  // Web Crypto here and another library in the adapter: the two cannot share a mistake.
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const signer = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", signer, Buffer.from(`${id}.${timestamp}.${body}`));
  const signature = `v1,${Buffer.from(signed).toString("base64")}`;
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  return { path, headers, body };
}

/**
 * Delivers a callback to all subscriptions of its type.
 * @throws SandboxError 422 when a receiver does not accept it
 */
export async function notify(runtime: SandboxRuntime, type: EventType, data: object): Promise<void> {
  for (const each of await listSubscriptions(runtime)) {
    if (each.state === "active" && each.types.includes(type)) await notifyOne(runtime, each, type, data);
  }
}

/** Delivers after the answer to the request that caused it. A receiver that missed it can poll. */
export function notifyLater(runtime: SandboxRuntime, type: EventType, data: object): void {
  setTimeout(() => {
    notify(runtime, type, data).catch((error: unknown) =>
      runtime.log.warn({ err: error, type }, "a callback was not delivered"),
    );
  }, callbackDelayMs);
}

const callbackDelayMs = 200;
