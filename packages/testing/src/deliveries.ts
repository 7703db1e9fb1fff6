/** What a partner's webhook receiver in the sandbox got. */
import type { SandboxCall } from "./sandboxCall.ts";

/** One delivery attempt as it arrived. */
export interface Delivery {
  /** Names the event; the same at every attempt. */
  readonly id: string;
  readonly eventType: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Whether every signature verified. */
  readonly verified: boolean;
  /** The status that the receiver answered. */
  readonly status: number;
  /** ISO 8601. */
  readonly receivedAt: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Every attempt that arrived at the receiver `inbox`, oldest first. */
export async function listDeliveries(sandbox: SandboxCall, inbox: string): Promise<Delivery[]> {
  const attempts = (await sandbox("GET", `/inbox/${encodeURIComponent(inbox)}`)) as Omit<
    Delivery,
    "id" | "eventType" | "data"
  >[];
  return attempts.map((attempt) => ({
    ...attempt,
    id: attempt.headers["webhook-id"] ?? "",
    ...(JSON.parse(attempt.body) as Pick<Delivery, "eventType" | "data">),
  }));
}
