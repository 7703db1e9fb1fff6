/** Objects of the sandbox's card issuer, and its replies by idempotency key. */
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { insertRow, prepareRow } from "../rows.ts";
import { issuerCardOf, issuerObjects, issuerReplies } from "./tables.ts";

export type IssuerObject = typeof issuerObjects.$inferSelect;

export const insertIssuerObject = (
  on: Executor,
  row: Omit<typeof issuerObjects.$inferInsert, "sequence">,
): Promise<IssuerObject> => insertRow(on, issuerObjects, row);

/** Inserts an object unless there is one of its id; whether it did. */
export async function insertIssuerObjectOnce(
  tx: Tx,
  row: Omit<typeof issuerObjects.$inferInsert, "sequence">,
): Promise<boolean> {
  const inserted = await tx.insert(issuerObjects).values(row).onConflictDoNothing().returning({ id: issuerObjects.id });
  return inserted.length === 1;
}

export const findIssuerObject = (on: Executor, object: string, id: string): Promise<IssuerObject | null> =>
  selectObject(on, { object, id });

export const lockIssuerObject = (tx: Tx, object: string, id: string): Promise<IssuerObject | null> =>
  selectLocked(tx, { object, id });

const isThis = sql`where ${issuerObjects.object} = ${sql.placeholder("object")} and ${issuerObjects.id} = ${sql.placeholder("id")}`;
const selectObject = prepareRow<"object" | "id", typeof issuerObjects>(issuerObjects, isThis);
const selectLocked = prepareRow<"object" | "id", typeof issuerObjects>(issuerObjects, sql`${isThis} for update`);

export async function updateIssuerObject(
  tx: Tx,
  id: string,
  change: Partial<Pick<IssuerObject, "data" | "hidden">>,
): Promise<void> {
  await tx.update(issuerObjects).set(change).where(eq(issuerObjects.id, id));
}

const contains = (part: Record<string, unknown>): SQL | undefined =>
  Object.values(part).every((value) => value === undefined)
    ? undefined
    : sql`${issuerObjects.data} @> ${JSON.stringify(part)}::jsonb`;

/** The condition that an object names an authorization or a transaction, which few do. */
function isAbout(on: Executor, part: { authorization?: unknown; transaction?: unknown }): SQL | undefined {
  const condition = contains(part);
  if (condition === undefined) return undefined;
  // Read by itself: beside the kind of object, Postgres may join both indexes and read all objects of that kind.
  return sql`${issuerObjects.id} = any(array(${on.select({ id: issuerObjects.id }).from(issuerObjects).where(condition)}))`;
}

/**
 * The condition that an object's data contain a part. A card and a cardholder are compared by themselves: their indexes have
 * the objects in the order of the lists, so no list reads all payments of a card.
 */
function hasPart(
  on: Executor,
  { card, cardholder, authorization, transaction, ...others }: Record<string, unknown>,
): SQL | undefined {
  const { data } = issuerObjects;
  // An authorization has its card whole; other kinds of objects have whole cardholders.
  const cardId = typeof card === "object" && card !== null && "id" in card ? card.id : card;
  const holderId = typeof cardholder === "string" ? cardholder : undefined;
  const left = { ...others, ...(holderId === undefined && { cardholder }) };
  return and(
    cardId === undefined ? undefined : sql`${issuerCardOf(data)} = ${cardId}`,
    holderId === undefined ? undefined : sql`${data} ->> 'cardholder' = ${holderId}`,
    isAbout(on, { authorization, transaction }),
    contains(left),
  );
}

/**
 * Objects of one kind whose data contain `part`, newest first, older than the object `startingAfter`. With `endingBefore`
 * they are newer than that object, oldest first.
 */
export async function listIssuerObjects(
  on: Executor,
  input: {
    object: string;
    part: Record<string, unknown>;
    /** Of the field `type`. */
    types?: readonly string[] | undefined;
    /** Unix seconds. */
    createdFrom?: number | undefined;
    createdTo?: number | undefined;
    startingAfter: string | null;
    endingBefore?: string | null;
    limit: number;
  },
): Promise<IssuerObject[]> {
  const sequenceOf = (id: string) =>
    on.select({ sequence: issuerObjects.sequence }).from(issuerObjects).where(eq(issuerObjects.id, id));
  return on
    .select()
    .from(issuerObjects)
    .where(
      and(
        eq(issuerObjects.object, input.object),
        hasPart(on, input.part),
        input.types === undefined ? undefined : inArray(sql`${issuerObjects.data} ->> 'type'`, [...input.types]),
        input.createdFrom === undefined
          ? undefined
          : sql`(${issuerObjects.data} ->> 'created')::bigint >= ${input.createdFrom}`,
        input.createdTo === undefined
          ? undefined
          : sql`(${issuerObjects.data} ->> 'created')::bigint <= ${input.createdTo}`,
        input.startingAfter === null
          ? undefined
          : sql`${issuerObjects.sequence} < (${sequenceOf(input.startingAfter)})`,
        input.endingBefore == null ? undefined : sql`${issuerObjects.sequence} > (${sequenceOf(input.endingBefore)})`,
      ),
    )
    .orderBy(input.endingBefore == null ? desc(issuerObjects.sequence) : asc(issuerObjects.sequence))
    .limit(input.limit);
}

/** Adds to the `amount` of an object in one statement, and returns the sum; null where there is no such object. */
export async function addToIssuerAmount(tx: Tx, id: string, by: number): Promise<number | null> {
  const amount = sql<string>`(${issuerObjects.data} ->> 'amount')::bigint`;
  const [written] = await tx
    .update(issuerObjects)
    .set({ data: sql`jsonb_set(${issuerObjects.data}, '{amount}', to_jsonb(${amount} + ${by}::bigint))` })
    .where(eq(issuerObjects.id, id))
    .returning({ amount });
  return written ? Number(written.amount) : null;
}

type IssuerReply = typeof issuerReplies.$inferSelect;

/** What was answered under a key; requests with the same key wait for each other until the transaction ends. */
export async function lockIssuerReply(tx: Tx, key: string): Promise<IssuerReply | null> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sandbox:issuer:${key}`}, 0))`);
  const [row] = await tx.select().from(issuerReplies).where(eq(issuerReplies.key, key)).limit(1);
  return row ?? null;
}

export async function insertIssuerReply(tx: Tx, row: typeof issuerReplies.$inferInsert): Promise<void> {
  await tx.insert(issuerReplies).values(row);
}

/** Some of the issuer's objects, by their ids. */
export async function listIssuerObjectsById(on: Executor, ids: readonly string[]): Promise<IssuerObject[]> {
  return on
    .select()
    .from(issuerObjects)
    .where(inArray(issuerObjects.id, [...ids]));
}
