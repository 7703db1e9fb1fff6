/** What is not kept for ever. */
import { and, lt, notExists, type SQL, sql } from "drizzle-orm";
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

interface Log {
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

/** In the order in which they are emptied: what refers to another table's rows first. */
const logs: readonly Log[] = [
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

/** So much is deleted at once, in a statement that nobody waits for long. */
const batchMax = 5_000;
/** So often in a turn: a backlog is worked off over several. */
const batchesMax = 20;

/** Deletes what is older than it is kept, in batches; several processes may do so at once. */
export async function deleteOldRows(db: Db, now: Date): Promise<void> {
  for (const log of logs) {
    for (let batch = 0; batch < batchesMax; batch++) {
      if ((await deleteBatch(db, log, now)) < batchMax) break;
    }
  }
}

async function deleteBatch(db: Db, { table, at, keptHours, unless }: Log, now: Date): Promise<number> {
  const before = new Date(now.getTime() - keptHours * 3_600_000);
  const old = db
    .select({ place: sql`ctid` })
    .from(table)
    .where(and(lt(at, before), unless?.(db)))
    .limit(batchMax)
    .for("update", { skipLocked: true });
  const rows = await db
    .delete(table)
    .where(sql`ctid = any(array(${old}))`)
    .returning({ one: sql`1` });
  return rows.length;
}
