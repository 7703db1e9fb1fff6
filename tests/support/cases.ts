/** Helpers for tests of cases. */
import { openCase } from "@cardkeep/domain/core/openCase";
import { createContext } from "@cardkeep/domain/core/context";
import { sql } from "drizzle-orm";
import type { RunningService } from "./service.ts";

/** The payment of a thread. */
export async function findPaymentId({ runtime }: RunningService, threadId: string): Promise<string> {
  const [row] = await runtime.db.execute<{ id: string }>(
    sql`select payment_id as id from card_threads where thread_id = ${threadId}`,
  );
  return row?.id ?? "";
}

/** Opens a case of a payment, or repeats it with another amount. Answers its id; null where nothing was written. */
export async function openTestCase(
  { runtime: { services, log } }: RunningService,
  {
    userId,
    paymentId,
    amountCents = 100n,
    note = "Asked for by a test",
  }: { userId: string; paymentId: string; amountCents?: bigint; note?: string },
): Promise<string | null> {
  const { commit } = createContext(services, { log, requestId: "test" });
  const input = { kind: "over_capture", userId, paymentId, amountCents, currency: "EUR", note } as const;
  const opened = await commit((work) => openCase(work, input));
  return opened?.id ?? null;
}
