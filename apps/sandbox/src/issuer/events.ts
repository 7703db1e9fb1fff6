/** The issuer's callbacks, signed as it signs them. Source: docs.stripe.com/webhooks, "Verify signatures manually". */
import { createHmac } from "node:crypto";
import { deliver } from "../deliver.ts";
import { generateIssuerId, type IssuerEvent, toUnixSeconds } from "./route.ts";
import type { SandboxRuntime } from "../openStore.ts";

const callbackPath = "/callbacks/stripe";

/** Builds an event's body and its headers. */
export function signIssuerEvent({ settings }: SandboxRuntime, { type, object }: IssuerEvent) {
  const seconds = toUnixSeconds(new Date());
  const body = JSON.stringify({
    id: generateIssuerId("evt"),
    object: "event",
    api_version: null,
    created: seconds,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  });
  const [secret = ""] = settings.issuer.callbackSecrets;
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { path: callbackPath, headers: { "Stripe-Signature": `t=${seconds},v1=${signature}` }, body };
}

/**
 * Delivers an event to the service.
 * @throws SandboxError 422 when the service does not accept it
 */
export const deliverIssuerEvent = (runtime: SandboxRuntime, event: IssuerEvent): Promise<void> =>
  deliver(runtime, signIssuerEvent(runtime, event));
