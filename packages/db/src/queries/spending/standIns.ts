/** Stand-ins: what the issuer decided without us. */
import { and, eq, gte, inArray, lt, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { cardStandIns } from "../../schema/tables.ts";

export type StandIn = typeof cardStandIns.$inferSelect;

export async function findStandIn(on: Executor, paymentId: string): Promise<StandIn | null> {
  const [row] = await on.select().from(cardStandIns).where(eq(cardStandIns.paymentId, paymentId)).limit(1);
  return row ?? null;
}

/** The stand-ins of payments, by the payment's id. */
export async function listStandIns(on: Executor, paymentIds: readonly string[]): Promise<Map<string, StandIn>> {
  if (paymentIds.length === 0) return new Map();
  const rows = await on
    .select()
    .from(cardStandIns)
    .where(inArray(cardStandIns.paymentId, [...paymentIds]));
  return new Map(rows.map((row) => [row.paymentId, row]));
}

/** Records a stand-in. One that is known takes a greater amount, and an approval after a decline; otherwise false. */
export async function upsertStandIn(tx: Tx, row: StandIn): Promise<boolean> {
  const { decision, approvedCents, aloneCents, reason, decidedAt } = row;
  const isApproval = decision === "APPROVED";
  const written = await tx
    .insert(cardStandIns)
    .values(row)
    .onConflictDoUpdate({
      target: cardStandIns.paymentId,
      set: { decision, approvedCents, aloneCents, reason, decidedAt },
      setWhere: sql`${lt(cardStandIns.approvedCents, approvedCents)}
        or (${eq(cardStandIns.decision, "DECLINED")} and ${isApproval})`,
    })
    .returning({ paymentId: cardStandIns.paymentId });
  return written.length === 1;
}

/** What the issuer alone approved of a user's payments within a span, in minor units of one currency. */
export async function sumStandIns(
  tx: Tx,
  { userId, currency, from, to }: { userId: string; currency: string; from: Date; to: Date },
): Promise<bigint> {
  // Two commits for one user each have to see what the other added.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`cardkeep:stand-in:${userId}`}, 0))`);
  const { aloneCents, decidedAt } = cardStandIns;
  const isWithin = and(gte(decidedAt, from), lt(decidedAt, to));
  const [row] = await tx
    .select({ sum: sql<string>`coalesce(sum(${aloneCents}), 0)::text` })
    .from(cardStandIns)
    .where(and(eq(cardStandIns.userId, userId), eq(cardStandIns.currency, currency), isWithin));
  return BigInt(row?.sum ?? 0);
}
