import { and, eq, inArray, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { inParts } from "../../many.ts";
import { cardClearings, cardPayments } from "../../schema/tables.ts";

/** A thread as the issuer has it, with one of its clearings or none. */
export interface IssuerThread {
  threadId: string;
  clearingId: string | null;
  isHeld: boolean;
}

/** What is known here of the issuer's threads. */
export interface KnownThreads {
  /** The payment of each thread that has one. */
  payments: ReadonlyMap<string, string>;
  /** By payment, the ids of its clearings. */
  clearings: ReadonlyMap<string, ReadonlySet<string>>;
  /** The payments that were declined. */
  declined: ReadonlySet<string>;
}

/** Reads the payments of threads, however many, and of those the clearings and declines that are asked about. */
export async function readKnownThreads(on: Executor, asked: readonly IssuerThread[]): Promise<KnownThreads> {
  const threads = await on.execute<{ threadId: string; paymentId: string }>(sql`
    select t.thread_id as "threadId", t.payment_id as "paymentId"
    from (select distinct thread_id from json_array_elements_text(${JSON.stringify(asked.map(({ threadId }) => threadId))}::json)
      as asked(thread_id)) asked join card_threads t using (thread_id)`);
  const payments = new Map(threads.map(({ threadId, paymentId }) => [threadId, paymentId]));
  const idsOf = (threadsOf: readonly IssuerThread[]) => [
    ...new Set(threadsOf.flatMap(({ threadId }) => payments.get(threadId) ?? [])),
  ];
  const [cleared, held] = [
    idsOf(asked.filter(({ clearingId }) => clearingId !== null)),
    idsOf(asked.filter(({ isHeld }) => isHeld)),
  ];
  const { paymentId, id } = cardClearings;
  const rows: { paymentId: string; id: string }[] = [];
  for (const part of inParts(cleared))
    rows.push(
      ...(await on.select({ paymentId, id }).from(cardClearings).where(inArray(cardClearings.paymentId, part))),
    );
  const declined = new Set<string>();
  for (const part of inParts(held)) {
    const isDeclined = and(inArray(cardPayments.id, part), eq(cardPayments.status, "DECLINED"));
    for (const row of await on.select({ id: cardPayments.id }).from(cardPayments).where(isDeclined))
      declined.add(row.id);
  }
  const clearings = new Map(
    [...Map.groupBy(rows, (row) => row.paymentId)].map(([of, all]) => [of, new Set(all.map((row) => row.id))]),
  );
  return { payments, clearings, declined };
}
