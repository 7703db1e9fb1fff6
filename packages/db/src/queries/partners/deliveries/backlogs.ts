/** Partners with undelivered events. */
import { asc, desc, isNotNull, sql } from "drizzle-orm";
import type { Executor } from "../../../client.ts";
import { partners } from "../../../schema/tables.ts";
import type { Partner } from "../partners.ts";

/** How many deliveries to a partner's endpoint are pending, and how many have failed. */
export interface Backlog {
  partnerId: string;
  name: string;
  webhookStatus: Partner["webhookStatus"];
  webhookReason: string | null;
  pending: number;
  failed: number;
}

/** More failed or pending deliveries than these are not counted. */
export const failedCountedMax = 5_000;

/** Failed deliveries of all partners, `failedCountedMax` at most. */
export async function countFailedDeliveries(on: Executor): Promise<number> {
  const [row] = await on.execute<{ count: number }>(sql`
    select count(*)::int from (select from deliveries where status = 'FAILED' limit ${failedCountedMax}) failed`);
  return row?.count ?? 0;
}

/**
 * Counts a partner's deliveries, `failedCountedMax` at most. Status and limit are literals, so that Postgres uses its partial index; in
 * the order of that index, so that Postgres reads no more of it than is counted.
 */
const countOf = (status: "PENDING" | "FAILED") =>
  // Columns are spelled with their tables: drizzle leaves the tables out, and both have an id.
  sql<number>`(select count(*)::int from (select from deliveries
    where deliveries.partner_id = partners.id and deliveries.status = ${sql.raw(`'${status}'`)}
    order by deliveries.${sql.raw(status === "PENDING" ? "next_attempt_at" : "created_at")}
    limit ${sql.raw(String(failedCountedMax))}) counted)`;

/** The backlogs of the `limit` partners with the most failed, then pending, deliveries. */
export async function listBacklogs(on: Executor, limit: number): Promise<Backlog[]> {
  const pending = countOf("PENDING").as("pending");
  const failed = countOf("FAILED").as("failed");
  return on
    .select({
      partnerId: partners.id,
      name: partners.name,
      webhookStatus: partners.webhookStatus,
      webhookReason: partners.webhookReason,
      pending,
      failed,
    })
    .from(partners)
    .where(isNotNull(partners.webhookUrl))
    .orderBy(desc(failed), desc(pending), asc(partners.id))
    .limit(limit);
}
