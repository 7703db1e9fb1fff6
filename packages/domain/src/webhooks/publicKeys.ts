import type { WebhookPublicKey } from "@cardkeep/providers/webhooks/sign";
import type { Context } from "../context.ts";

/** The key that `X-Webhook-Signature` is made with. */
export const getWebhookKey = async ({ webhookKeys }: Context): Promise<{ success: boolean; publicKey: string }> => ({
  success: true,
  publicKey: webhookKeys.publicKeyPem,
});

/** Every key that signs deliveries. */
export const listWebhookKeys = async ({ webhookKeys }: Context): Promise<{ keys: WebhookPublicKey[] }> => ({
  keys: [...webhookKeys.publicKeys],
});
