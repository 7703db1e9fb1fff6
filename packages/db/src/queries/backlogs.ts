/** Who of the partners is behind with what. */
import { asc, desc, isNotNull, sql } from "drizzle-orm";
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

/** How many deliveries of a partner are so; the status stands in the statement, so that its own index is found. */
const countOf = (status: "PENDING" | "FAILED") =>
  sql<number>`(select count(*)::int from ${deliveries}
    where ${deliveries.partnerId} = ${partners.id} and ${deliveries.status} = ${sql.raw(`'${status}'`)})`;

/** The backlogs of the `limit` partners that have most of it. */
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
