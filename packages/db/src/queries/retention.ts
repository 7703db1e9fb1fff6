/** What is not kept for ever. */
import { and, getTableName, lt, notExists, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db } from "../client.ts";
import {
  cardEnvelopes,
  codes,
  deliveries,
  deliveryAttempts,
  emoneyCallbacks,
  events,
  idempotencyKeys,
  issuerCallbacks,
  nonces,
  oauthStates,
  rateLimits,
  subscriptionMessages,
  unmatchedThreads,
} from "../schema/tables.ts";

/** A table whose rows are deleted at an age. */
export interface RetainedTable {
  readonly name: string;
  readonly table: PgTable;
  /** The instant from which its rows age; an index leads to the oldest. */
  readonly at: AnyPgColumn;
  readonly keptHours: number;
  /** Rows that stay however old they are. */
  readonly unless?: (db: Db) => SQL | undefined;
}

const day = 24;
/** So long partners may look a delivery up, pull it, or have it sent again. */
const deliveriesKept = 30 * day;
/** Partners repeat a callback for days; what comes later is too old to be believed. */
const callbacksKept = 30 * day;

const logs: readonly Omit<RetainedTable, "name">[] = [
  { table: nonces, at: nonces.expiresAt, keptHours: 1 },
  { table: codes, at: codes.createdAt, keptHours: 1 },
  { table: cardEnvelopes, at: cardEnvelopes.createdAt, keptHours: 1 },
  { table: subscriptionMessages, at: subscriptionMessages.expiresAt, keptHours: 1 },
  { table: oauthStates, at: oauthStates.expiresAt, keptHours: 0 },
  { table: rateLimits, at: rateLimits.endsAt, keptHours: 0 },
  { table: idempotencyKeys, at: idempotencyKeys.createdAt, keptHours: day },
  { table: deliveryAttempts, at: deliveryAttempts.at, keptHours: deliveriesKept },
  { table: deliveries, at: deliveries.createdAt, keptHours: deliveriesKept },
  { table: events, at: events.createdAt, keptHours: deliveriesKept, unless: isStillTold },
  { table: issuerCallbacks, at: issuerCallbacks.receivedAt, keptHours: callbacksKept },
  { table: unmatchedThreads, at: unmatchedThreads.seenAt, keptHours: callbacksKept },
  { table: emoneyCallbacks, at: emoneyCallbacks.receivedAt, keptHours: callbacksKept },
];

function isStillTold(db: Db): SQL | undefined {
  const delivery = db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(sql`${deliveries.eventId} = ${events.id}`);
  return and(sql`not ${events.isPending}`, notExists(delivery));
}

/** Tables whose rows are deleted at an age; a table that refers to another one's rows comes before it. */
export const retainedTables: readonly RetainedTable[] = logs.map((log) => ({ ...log, name: getTableName(log.table) }));

/** Deletes rows that are older than their table keeps them, `limit` at most; answers how many. */
export async function deleteOldBatch(
  db: Db,
  { table, at, keptHours, unless }: RetainedTable,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const before = new Date(now.getTime() - keptHours * 3_600_000);
  const old = db
    .select({ place: sql`ctid` })
    .from(table)
    .where(and(lt(at, before), unless?.(db)))
    .limit(limit)
    .for("update", { skipLocked: true });
  const rows = await db
    .delete(table)
    .where(sql`ctid = any(array(${old}))`)
    .returning({ one: sql`1` });
  return rows.length;
}
