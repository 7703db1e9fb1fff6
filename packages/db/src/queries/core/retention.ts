/** Tables whose rows are deleted at an age; how old, is the policy of a higher floor. */
import type { CardCaseStatus } from "@cardkeep/contract/spending/cardCases";
import { tokensKeptDays } from "@cardkeep/contract/users/tokens";
import { and, eq, exists, getTableName, isNotNull, lt, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Db } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import {
  cardCases,
  cardEnvelopes,
  cardIssues,
  cardRuleHits,
  codes,
  contactChanges,
  decisionHours,
  deliveries,
  deliveryAttempts,
  deliveryHours,
  disputeEvidence,
  emoneyCallbacks,
  events,
  idempotencyKeys,
  identityVersions,
  issuerCallbacks,
  legalHolds,
  liveTransfers,
  nonces,
  oauthStates,
  operatorSessions,
  operatorSignIns,
  personKeys,
  rateLimits,
  restrictedRecords,
  revertedGas,
  subscriptionMessages,
  subscriptions,
  unmatchedThreads,
  userTokens,
} from "../../schema/tables.ts";
import { isNotHeld } from "../../schema/users/records.ts";

interface Retained {
  readonly table: PgTable;
  /** The instant from which its rows age; an index leads to the oldest. */
  readonly at: AnyPgColumn;
  /** Names the rows of a partitioned table: `ctid` names a row of each partition. */
  readonly key?: readonly AnyPgColumn[];
  /** Rows that stay however old they are. */
  readonly unless?: (db: Db) => SQL | undefined;
}

/**
 * A legal hold keeps every record of its person. What has no person stays out of it, and so does what is no record: codes, messages
 * and states of sign-ins and consents under way, encrypted card details, replays of a day, and the copies of open transfers.
 */
const retained = [
  { table: nonces, at: nonces.expiresAt },
  { table: codes, at: codes.createdAt },
  { table: contactChanges, at: contactChanges.createdAt, unless: () => isNotHeld(contactChanges.userId) },
  { table: cardEnvelopes, at: cardEnvelopes.createdAt, unless: isOfNoCardToBe },
  { table: subscriptionMessages, at: subscriptionMessages.expiresAt },
  { table: oauthStates, at: oauthStates.expiresAt },
  { table: operatorSignIns, at: operatorSignIns.expiresAt },
  { table: operatorSessions, at: operatorSessions.endsAt },
  { table: rateLimits, at: rateLimits.endsAt },
  { table: revertedGas, at: revertedGas.createdAt, unless: () => isNotHeld(revertedGas.userId) },
  { table: idempotencyKeys, at: idempotencyKeys.createdAt },
  {
    table: deliveryAttempts,
    at: deliveryAttempts.at,
    key: [deliveryAttempts.deliveryId, deliveryAttempts.attempt],
    unless: isOfNoHeldDelivery,
  },
  {
    table: deliveries,
    at: deliveries.createdAt,
    key: [deliveries.id],
    unless: () => isOfNoHeldSubscription(deliveries.subscriptionId),
  },
  { table: events, at: events.createdAt, key: [events.id], unless: isStillDelivered },
  { table: decisionHours, at: decisionHours.hour },
  { table: deliveryHours, at: deliveryHours.hour },
  { table: issuerCallbacks, at: issuerCallbacks.receivedAt },
  { table: unmatchedThreads, at: unmatchedThreads.seenAt, unless: isUnsettled },
  { table: emoneyCallbacks, at: emoneyCallbacks.receivedAt, unless: () => isNotHeld(emoneyCallbacks.userId) },
  { table: liveTransfers, at: liveTransfers.endedAt },
  { table: cardRuleHits, at: cardRuleHits.createdAt, unless: () => isNotHeld(cardRuleHits.userId) },
  { table: disputeEvidence, at: disputeEvidence.createdAt, unless: () => isNotHeld(disputeEvidence.userId) },
  { table: userTokens, at: userTokens.endsAt, unless: isLongExpired },
  { table: restrictedRecords, at: restrictedRecords.until, unless: () => isNotHeld(restrictedRecords.userId) },
  { table: identityVersions, at: identityVersions.until, unless: () => isNotHeld(identityVersions.userId) },
  { table: personKeys, at: personKeys.until, unless: () => isNotHeld(personKeys.userId) },
] as const satisfies readonly Retained[];

export type RetainedTableName = (typeof retained)[number]["table"]["_"]["name"];

/** A table whose rows are deleted at an age. */
export interface RetainedTable extends Retained {
  readonly name: RetainedTableName;
}

function isStillDelivered(db: Db): SQL | undefined {
  const delivery = db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(sql`${deliveries.eventId} = ${events.id}`);
  return and(sql`not ${events.isPending}`, notExists(delivery), isNotHeld(events.userId));
}

/** A delivery names its person by its subscription. */
const isOfNoHeldSubscription = (subscriptionId: unknown): SQL => sql`not exists (
  select from ${subscriptions} join ${legalHolds} on ${legalHolds.userId} = ${subscriptions.userId}
  where ${subscriptions.id} = ${subscriptionId} and ${legalHolds.liftedAt} is null)`;

/** An attempt of a delivery that is gone is of no record. */
function isOfNoHeldDelivery(db: Db): SQL {
  const isOfAttempt = eq(deliveries.id, deliveryAttempts.deliveryId);
  const isHeld = sql`not (${isOfNoHeldSubscription(deliveries.subscriptionId)})`;
  return notExists(
    db
      .select({ one: sql`1` })
      .from(deliveries)
      .where(and(isOfAttempt, isHeld)),
  );
}

/** The PIN of a card that the issuer has not made yet stays until it has. */
function isOfNoCardToBe(db: Db): SQL {
  return notExists(
    db
      .select({ one: sql`1` })
      .from(cardIssues)
      .where(sql`${cardIssues.id} = ${cardEnvelopes.issueId} and ${cardIssues.status} = 'open'`),
  );
}

/** A token that expires by itself stays until that is long past by the database's clock, which decides whether it works. */
function isLongExpired(): SQL | undefined {
  const isOver = lt(userTokens.expiresAt, sql`now() - make_interval(days => ${tokensKeptDays})`);
  return and(or(isNotNull(userTokens.end), isOver), isNotHeld(userTokens.userId));
}

/** A thread that is not booked stays until its cases are closed; a credit for ever: it would be paid once the bound has room. */
function isUnsettled(db: Db): SQL | undefined {
  const isOfThread = eq(cardCases.threadId, unmatchedThreads.threadId);
  const among = (status: CardCaseStatus) =>
    db
      .select({ one: sql`1` })
      .from(cardCases)
      .where(and(isOfThread, isOneOf(cardCases.status, [status])));
  return and(ne(unmatchedThreads.reason, "credit"), exists(among("CLOSED")), notExists(among("OPEN")));
}

/** Tables whose rows are deleted at an age; a table that refers to another one's rows comes before it. */
export const retainedTables: readonly RetainedTable[] = retained.map((entry) => ({
  ...entry,
  name: getTableName(entry.table),
}));

/**
 * The tables that have rows which aged from before an instant, in their order, in one statement. Some of these rows may have
 * a reason to stay.
 */
export async function listTablesWithOldRows(
  db: Db,
  beforeOf: (name: RetainedTableName) => Date,
): Promise<readonly RetainedTable[]> {
  const looks = retainedTables.map(
    ({ name, table, at }) =>
      // By the oldest row: a plan that Postgres keeps expects many old rows, and would look for one among all.
      sql`select ${name}::text as name where (select min(${at}) from ${table}) < ${sql.param(beforeOf(name), at)}`,
  );
  const rows = await db.execute<{ name: string }>(sql.join(looks, sql` union all `));
  const names = new Set(rows.map(({ name }) => name));
  return retainedTables.filter(({ name }) => names.has(name));
}

/** Deletes rows that aged from before an instant, `limit` at most; answers how many. */
export async function deleteOldBatch(
  db: Db,
  { table, at, key, unless }: RetainedTable,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const columns = key ?? [sql`${table}.ctid`];
  const named = sql.join(
    columns.map((column, index) => sql`${column} as ${sql.identifier(`key_${index}`)}`),
    sql`, `,
  );
  const isOld = sql.join(
    columns.map((column, index) => sql`${column} = old.${sql.identifier(`key_${index}`)}`),
    sql` and `,
  );
  // Found once, so that no other row is locked or deleted when the plan asks for them again.
  const rows = await db.execute(sql`
    with old as materialized (
      select ${named} from ${table} where ${and(lt(at, before), unless?.(db))} order by ${at} limit ${limit} for update skip locked)
    delete from ${table} using old where ${isOld} returning 1`);
  return rows.length;
}
