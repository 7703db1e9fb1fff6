import type { WorkerContext } from "./context.ts";

interface SignedWebhook {
  /** Whose webhook it is, in an error: `partner's`. */
  readonly whose: string;
  readonly url: string;
  /** The same for a message that comes again, so that a receiver knows it. */
  readonly id: string;
  readonly body: string;
  /** They sign it beside our own key, `whsec_` and base64. */
  readonly secrets: readonly string[];
}

/** Sends a signed webhook that stands in no partner's feed. @throws Error where the receiver does not take it, WebhookRefused for a forbidden address */
export async function postWebhook(
  { webhookKeys, webhookSender, stopping }: Pick<WorkerContext, "webhookKeys" | "webhookSender" | "stopping">,
  { whose, url, id, body, secrets }: SignedWebhook,
): Promise<void> {
  // Signatures are compared with the receiver's clock.
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = webhookKeys.buildHeaders({ id, sequence: 0n, timestamp, body, secrets });
  const endpoint = await webhookSender.open(url);
  try {
    const { status, error } = await endpoint.post({ headers, body, signal: stopping });
    if (status === null || status >= 300) throw new Error(`The ${whose} webhook answered ${status ?? error}`);
  } finally {
    endpoint.close();
  }
}
