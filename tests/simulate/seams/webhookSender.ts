/** The sender of webhooks in a simulated world: its deliveries are messages, as calls to partners are. */
import type { WebhookAnswer, WebhookSender } from "@cardkeep/providers/webhooks/send";

export * from "@cardkeep/providers/webhooks/send";

const unanswered = { status: null, retryAfterSeconds: null };

/** @public */
export const createWebhookSender = (): WebhookSender => ({
  accepts: async () => true,
  open: async (url) => ({
    post: async ({ headers, body, signal }): Promise<WebhookAnswer> => {
      const startedAt = performance.now();
      const end = () => ({ isAborted: signal.aborted, durationMs: Math.round(performance.now() - startedAt) });
      try {
        const { status } = await fetch(url, { method: "POST", headers, body, signal });
        return { status, error: null, retryAfterSeconds: null, ...end() };
      } catch (error) {
        return { ...unanswered, error: String(error), ...end() };
      }
    },
    close: () => {},
  }),
});
