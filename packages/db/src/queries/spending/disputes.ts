/** Disputes of card payments. */
import { listOrigins } from "@cardkeep/contract/core/machine";
import { disputeMachine, type DisputeStatus } from "@cardkeep/contract/spending/disputes";
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isAmong } from "../../many.ts";
import { isNoneOf, isOneOf } from "../../schema/columns.ts";
import { draftDisputeStatuses } from "../../schema/spending/disputes.ts";
import { cardDisputes, cardPayments, safes } from "../../schema/tables.ts";
import type { Safe } from "../accounts/safes.ts";
import { isPayment, type PaymentKey } from "./payments.ts";

export type CardDispute = typeof cardDisputes.$inferSelect;

/** Inserts a dispute that a worker takes up now; null when its payment has one. */
export async function insertDispute(
  tx: Tx,
  row: Pick<CardDispute, "id" | "paymentId" | "userId" | "reason" | "requestId" | "createdAt"> & {
    creditDueAt?: Date | null;
  },
): Promise<CardDispute | null> {
  const { createdAt } = row;
  const begun = { ...row, status: disputeMachine.initial, nextAt: createdAt, updatedAt: createdAt };
  const [inserted] = await tx.insert(cardDisputes).values(begun).onConflictDoNothing().returning();
  return inserted ?? null;
}

export async function findDispute(on: Executor, id: string): Promise<CardDispute | null> {
  const [row] = await on.select().from(cardDisputes).where(eq(cardDisputes.id, id)).limit(1);
  return row ?? null;
}

/** The dispute that the issuer knows by this id. */
export async function findIssuedDispute(on: Executor, issuerDisputeId: string): Promise<CardDispute | null> {
  const [row] = await on.select().from(cardDisputes).where(eq(cardDisputes.issuerDisputeId, issuerDisputeId)).limit(1);
  return row ?? null;
}

/** The newest dispute of anybody. */
export async function findNewestDispute(on: Executor): Promise<CardDispute | null> {
  const [row] = await on.select().from(cardDisputes).orderBy(desc(cardDisputes.id)).limit(1);
  return row ?? null;
}

/** Those of the issuer's ids, however many, that no dispute has. */
export async function listUnknownDisputes(on: Executor, ids: readonly string[]): Promise<string[]> {
  const { issuerDisputeId } = cardDisputes;
  if (ids.length === 0) return [];
  const known = await on.select({ issuerDisputeId }).from(cardDisputes).where(isAmong(issuerDisputeId, ids));
  const taken = new Set(known.map((row) => row.issuerDisputeId));
  return ids.filter((id) => !taken.has(id));
}

/** Takes a dispute's row lock. A Safe's lock comes before it. */
export async function lockDispute(tx: Tx, id: string): Promise<CardDispute | null> {
  const [row] = await tx.select().from(cardDisputes).where(eq(cardDisputes.id, id)).for("update");
  return row ?? null;
}

const isWaiting = and(isNull(cardDisputes.issuerDisputeId), isOneOf(cardDisputes.status, ["requested", "expired"]));

/** A payment's dispute that the issuer does not know yet. */
export const findWaitingDispute = (on: Executor, paymentId: string): Promise<CardDispute | null> =>
  findOfPayment(on, paymentId, isWaiting);

const isCredit = and(isNotNull(cardDisputes.creditDueAt), isNoneOf(cardDisputes.status, ["withdrawn"]));

/** A payment's dispute that a report of the payment takes further: one that the issuer does not know, or money to return. */
export const findConcernedDispute = (on: Executor, paymentId: string): Promise<CardDispute | null> =>
  findOfPayment(on, paymentId, or(isWaiting, isCredit));

async function findOfPayment(on: Executor, paymentId: string, is: SQL | undefined): Promise<CardDispute | null> {
  const [row] = await on
    .select()
    .from(cardDisputes)
    .where(and(eq(cardDisputes.paymentId, paymentId), is))
    .limit(1);
  return row ?? null;
}

type DisputeChange = Partial<
  Omit<CardDispute, "id" | "paymentId" | "userId" | "reason" | "status" | "version" | "requestId" | "createdAt">
>;

const bump = sql`${cardDisputes.version} + 1`;

/** Changes a dispute that stays where it is. */
export async function updateDispute(tx: Tx, id: string, change: DisputeChange): Promise<CardDispute> {
  const [row] = await tx
    .update(cardDisputes)
    .set({ ...change, version: bump })
    .where(eq(cardDisputes.id, id))
    .returning();
  if (!row) throw new Error(`Dispute ${id} has no row`);
  return row;
}

/** Moves a dispute on; null when it is in no state any more from which the machine's table lets it go there. */
export async function moveDispute(
  tx: Tx,
  id: string,
  to: DisputeStatus,
  change: DisputeChange,
  by: "operator" | "anyone" = "anyone",
): Promise<CardDispute | null> {
  const [row] = await tx
    .update(cardDisputes)
    .set({ ...change, status: to, version: bump })
    .where(and(eq(cardDisputes.id, id), inArray(cardDisputes.status, listOrigins(disputeMachine, to, by))))
    .returning();
  return row ?? null;
}

/** What a dispute returned. What its payment moves is null once that is archived. */
export interface Credit extends Pick<CardDispute, "creditCents" | "reinstatedCents"> {
  /** In base units of `tokenSymbol`, as `credit` and `owed` are. */
  target: bigint | null;
  credit: bigint | null;
  owed: bigint | null;
  tokenSymbol: Safe["tokenSymbol"];
}

/** What a person got back by disputes, beside one of them; and whether one was ever lost. Behind the person's lock. */
export async function readCreditHistory(
  tx: Tx,
  { id, userId }: Pick<CardDispute, "id" | "userId">,
): Promise<{ credits: Credit[]; hasLost: boolean }> {
  const { creditCents, reinstatedCents, status, paymentId } = cardDisputes;
  const { target, credit, owed } = cardPayments;
  const isCredited = or(gt(creditCents, 0n), gt(credit, 0n), gt(owed, 0n));
  const hasLost = isOneOf(status, ["lost"]);
  const rows = await tx
    .select({ creditCents, reinstatedCents, status, target, credit, owed, tokenSymbol: safes.tokenSymbol })
    .from(cardDisputes)
    .leftJoin(cardPayments, and(eq(cardPayments.id, paymentId), eq(cardPayments.userId, cardDisputes.userId)))
    .leftJoin(safes, eq(safes.id, cardPayments.safeId))
    .where(and(eq(cardDisputes.userId, userId), ne(cardDisputes.id, id), or(isCredited, hasLost)));
  return { credits: rows, hasLost: rows.some((row) => row.status === "lost") };
}

/** Sets what a payment's dispute returns. Its version stays: the issuer's word about the payment has not changed. */
export async function setCredit(tx: Tx, key: PaymentKey, credit: bigint): Promise<void> {
  await tx.update(cardPayments).set({ credit }).where(isPayment(key));
}

/** What disputes are chosen by; an absent condition is none. */
export interface DisputeChoice {
  status?: DisputeStatus | null;
  userId?: string | null;
  /** Only those that wait for their submission and whose last day is before this instant, the most urgent first. */
  dueBefore?: Date | null;
  after?: string | null;
  limit: number;
}

/** Condition: a dispute follows another one in the order of their last days. */
const isLessUrgent = (after: string) =>
  sql`(${cardDisputes.submitBy}, ${cardDisputes.id}) > (select d.submit_by, d.id from card_disputes d where d.id = ${after})`;

/** Disputes of everybody that pass the choice, newest first. */
export async function listDisputes(
  on: Executor,
  { status, userId, dueBefore, after, limit }: DisputeChoice,
): Promise<CardDispute[]> {
  const isDraft = isOneOf(cardDisputes.status, draftDisputeStatuses);
  return on
    .select()
    .from(cardDisputes)
    .where(
      and(
        status ? isOneOf(cardDisputes.status, [status]) : undefined,
        userId ? eq(cardDisputes.userId, userId) : undefined,
        dueBefore ? and(isDraft, lt(cardDisputes.submitBy, dueBefore)) : undefined,
        after ? (dueBefore ? isLessUrgent(after) : lt(cardDisputes.id, after)) : undefined,
      ),
    )
    .orderBy(...(dueBefore ? [asc(cardDisputes.submitBy), asc(cardDisputes.id)] : [desc(cardDisputes.id)]))
    .limit(limit);
}
