/** A webhook receiver: it verifies each request as a partner would, and answers as configured. */
import { verifyDelivery } from "@cardkeep/client/webhooks";
import { listInbox, receiveInInbox, setInboxBehaviour } from "@cardkeep/db/sandbox/inboxes";
import { z } from "zod";
import { defineSandboxRoute, type SandboxForm } from "./core/route.ts";
import type { SandboxRuntime } from "./core/openStore.ts";

const name = z.string().min(1).max(128);
const delayMsMax = 60_000;
const count = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);

/** The console's form of a delivery. Others sign what they send, and may send any text. */
export const deliveryForm: SandboxForm = {
  method: "POST",
  path: "/inbox/{name}",
  summary: "A webhook receiver: it keeps every attempt that arrives. One from this form has no signature",
  input: z.object({ name, eventType: z.string().optional(), data: z.record(z.string(), z.unknown()).optional() }),
  example: { name: "sandbox", eventType: "card.created", data: {} },
};

/** Receives one attempt of a delivery. Every name is a receiver. */
export async function receiveDelivery(
  runtime: SandboxRuntime,
  { name: given, request, body }: { name: string; request: Request; body: string },
): Promise<Response> {
  const { webhookKeys } = runtime.services;
  const verified = await verifyDelivery({ headers: request.headers, body, publicKeys: webhookKeys.publicKeys }).then(
    () => true,
    () => false,
  );
  const headers = Object.fromEntries(request.headers.entries());
  const receivedAt = await runtime.clock.now(runtime.db);
  const { status, delayMs } = await runtime.store.transaction((tx) =>
    receiveInInbox(tx, { name: name.parse(given), headers, body, verified, receivedAt }),
  );
  await Bun.sleep(delayMs);
  return Response.json({ received: true }, { status });
}

export const readInbox = defineSandboxRoute({
  method: "GET",
  path: "/inbox/{name}",
  summary:
    "Every attempt at a webhook receiver, oldest first; with `after` those behind a `sequence`, with `limit` the newest",
  input: z.object({ name, after: count.optional(), limit: count.optional() }),
  example: { name: "sandbox" },
  run: async (runtime, { name: inbox, after, limit }) => {
    const attempts = await listInbox(runtime.store, {
      name: inbox,
      ...(after !== undefined && { after: BigInt(after) }),
      ...(limit !== undefined && { limit }),
    });
    return attempts.map((attempt) => ({ ...attempt, sequence: Number(attempt.sequence) }));
  },
});

export const setInbox = defineSandboxRoute({
  method: "POST",
  path: "/inbox/{name}/behaviour",
  summary: "Sets the answers of a webhook receiver: these statuses in turn, then 200, each after so many milliseconds",
  input: z.object({
    name,
    statuses: z.array(z.int().min(200).max(599)).max(1_000).default([]),
    delayMs: z.int().min(0).max(delayMsMax).default(0),
  }),
  example: { name: "sandbox", statuses: [500, 500, 200], delayMs: 0 },
  run: async (runtime, input) => {
    await setInboxBehaviour(runtime.store, input);
    return { ok: true };
  },
});
