/** The issuer's callbacks, signed as it signs them. Source: docs.stripe.com/webhooks, "Verify signatures manually". */
import { insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { createHmac } from "node:crypto";
import { isTaken, repeat, type Retries, sendOnce } from "../deliver.ts";
import { type Callback, sendWithFaults } from "../faults/callbackFaults.ts";
import { SandboxError } from "../core/route.ts";
import { generateIssuerId, type IssuerEvent, toUnixSeconds } from "./route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const callbackPath = "/callbacks/stripe";

export const eventObject = "event";

/** An event's body and headers, as of an instant. */
const build = (runtime: SandboxRuntime, { type, object }: IssuerEvent, now: Date) => {
  const data = {
    id: generateIssuerId("evt"),
    object: eventObject,
    api_version: null,
    created: toUnixSeconds(now),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
  return { data, callback: sign(runtime, JSON.stringify(data)) };
};

/** Builds an event's body, as of the service's time, and its headers. */
export async function signIssuerEvent(runtime: SandboxRuntime, event: IssuerEvent): Promise<Callback> {
  return build(runtime, event, await runtime.clock.now(runtime.db)).callback;
}

/** Signs a body as of the wall clock's now: each attempt has a signature of its own. */
function sign({ settings }: SandboxRuntime, body: string): Callback {
  const seconds = toUnixSeconds(new Date());
  const [secret = ""] = settings.issuer.callbackSecrets;
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { path: callbackPath, headers: { "Stripe-Signature": `t=${seconds},v1=${signature}` }, body };
}

/** The real one repeats for three days, ever more rarely. Source: docs.stripe.com/webhooks, "Delivery attempts and retries". */
const retries: Retries = { pauseMsMin: 250, pauseMsMax: 2_000, count: 300 };

/** Events of money are most of all events. Payments are listed by themselves. */
const isListed = ({ type }: IssuerEvent): boolean => !/^issuing_(?:authorization|transaction)\./.test(type);

/**
 * Delivers an event to the service, which may also list it later. One that the service does not take is repeated in the
 * background; without an answer it counts as delivered here.
 * @throws SandboxError 422 when the service refuses it
 */
export async function deliverIssuerEvent(runtime: SandboxRuntime, event: IssuerEvent): Promise<void> {
  const now = await runtime.clock.now(runtime.db);
  const { data, callback } = build(runtime, event, now);
  if (isListed(event))
    await insertIssuerObject(runtime.store, { id: data.id, object: eventObject, data, hidden: {}, createdAt: now });
  await sendWithFaults(runtime, callback, {
    sendOnce: (each) => sendOnce(runtime, each),
    send: async (each) => {
      const status = await sendOnce(runtime, each);
      if (isTaken(status)) return;
      repeat(runtime, () => sign(runtime, each.body), { pauseMs: retries.pauseMsMin, left: retries.count, retries });
      if (isRefused(status)) throw new SandboxError(422, `The service answered the callback with ${status}`);
    },
  });
}

const isRefused = (status: number | null): boolean => status !== null && status < 500;
