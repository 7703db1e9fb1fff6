import type { DueDelivery } from "@cardkeep/db/queries/partners/deliveries/due";
import type { Partner } from "@cardkeep/db/queries/partners/partners";
import type { WebhookPublicKey } from "@cardkeep/providers/webhooks/sign";
import type { Context } from "../../core/context.ts";

/** Body and signed headers of an attempt. The body of a delivery is the same, byte for byte, at every attempt. */
export function buildDeliveryRequest(
  webhookKeys: Context["webhookKeys"],
  { id, sequence, requestId, eventType, data, userId }: DueDelivery,
  { payload, secrets }: { payload: Partner["payload"]; secrets: readonly string[] },
): { headers: Record<string, string>; body: string } {
  const body = buildDeliveryBody({ eventType, data, userId }, payload);
  // Receivers compare the timestamp with the wall clock, so it is not the service's own time.
  const timestamp = Math.floor(Date.now() / 1000);
  const signed = webhookKeys.buildHeaders({ id, sequence, timestamp, body, secrets });
  return { headers: { ...signed, "X-Request-Id": requestId }, body };
}

/** The body of a delivery. A thin one names the user and nothing else. */
export const buildDeliveryBody = (
  { eventType, data, userId }: Pick<DueDelivery, "eventType" | "data" | "userId">,
  payload: Partner["payload"],
): string => JSON.stringify({ eventType, data: payload === "thin" ? { userId } : data });

/** The key that `X-Webhook-Signature` is made with. */
export const getWebhookKey = async ({ webhookKeys }: Context): Promise<{ success: boolean; publicKey: string }> => ({
  success: true,
  publicKey: webhookKeys.publicKeyPem,
});

/** Every key that signs deliveries. */
export const listWebhookKeys = async ({ webhookKeys }: Context): Promise<{ keys: WebhookPublicKey[] }> => ({
  keys: [...webhookKeys.publicKeys],
});
