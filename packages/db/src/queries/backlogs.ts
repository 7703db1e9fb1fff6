/** Who of the partners is behind with what. */
import { and, asc, count, desc, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Executor } from "../client.ts";
import { deliveries, partners } from "../schema/tables.ts";
import type { Partner } from "./partners.ts";

/** What a partner with an endpoint was not told yet, or not at all. */
export interface Backlog {
  partnerId: string;
  name: string;
  webhookStatus: Partner["webhookStatus"];
  webhookReason: string | null;
  pending: number;
  failed: number;
}

/** The backlogs of the `limit` partners that have most of it. */
export async function listBacklogs(on: Executor, limit: number): Promise<Backlog[]> {
  const pending = count(sql`case when ${deliveries.status} = 'PENDING' then 1 end`);
  const failed = count(sql`case when ${deliveries.status} = 'FAILED' then 1 end`);
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
    .leftJoin(deliveries, and(eq(deliveries.partnerId, partners.id), inArray(deliveries.status, ["PENDING", "FAILED"])))
    .where(isNotNull(partners.webhookUrl))
    .groupBy(partners.id)
    .orderBy(desc(failed), desc(pending), asc(partners.id))
    .limit(limit);
}
