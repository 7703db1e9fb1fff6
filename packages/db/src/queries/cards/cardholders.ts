/** People at the issuer: the status that it should have of them, the one that it has, and what the first follows from. */
import { closedByService, waitingCaptureKinds } from "@cardkeep/contract/spending/cardCases";
import type { CardholderStatus } from "@cardkeep/contract/cards/cards";
import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isAmong } from "../../many.ts";
import { isOneOf, spell } from "../../schema/columns.ts";
import { isBehindAtIssuer, isPersonBehindAtIssuer } from "../../schema/cards/cards.ts";
import { cardholders, cards } from "../../schema/tables.ts";
import { isStoppedIn } from "../operators/stops.ts";
import { listLate } from "./listLate.ts";
import type { Safe } from "../accounts/safes.ts";

export type Cardholder = typeof cardholders.$inferSelect;

/** What decides whether a person's cards may be used at all. */
export interface Standing {
  userId: string;
  isStopped: boolean;
  isUserActive: boolean;
  isKycApproved: boolean;
  /** Whether the rating of the person's money is red. */
  isRisky: boolean;
  /** Whether a violation of the account in service stands. */
  isChanged: boolean;
  /** What payments owe, in base units of each token. */
  debts: { tokenSymbol: NonNullable<Safe["tokenSymbol"]>; owed: bigint }[];
  /** Captures that repeat or contradict others and wait as open cases, in cents of all currencies. */
  waitingCents: bigint;
  /** Holds that ended here beside a paid capture and that the issuer still has, without what waits of them, in cents. */
  matchedCents: bigint;
}

type StandingRow = Omit<Standing, "debts" | "waitingCents" | "matchedCents"> & {
  debts: { tokenSymbol: "EURe" | "GBPe" | "USDCe"; owed: string }[];
  waitingCents: string;
  matchedCents: string;
};

/**
 * The standing of some people, in no order.
 *
 * @param openSince an authorization from before it is no longer open at the issuer
 */
export async function listStandings(on: Executor, userIds: readonly string[], openSince: Date): Promise<Standing[]> {
  if (userIds.length === 0) return [];
  const rows = await on.execute<StandingRow & Record<string, unknown>>(sql`
    select u.id as "userId", ${isStoppedIn("card-payments")} as "isStopped", u.status = 'ACTIVE' as "isUserActive",
      u.kyc_status = 'approved' as "isKycApproved", u.source_of_funds_risk is not distinct from 'red' as "isRisky",
      exists (select from account_violations v join safes s on s.id = v.safe_id
        where s.user_id = u.id and s.status <> 'reset' and v.status <> 'CLEARED') as "isChanged",
      (select coalesce(json_agg(json_build_object('tokenSymbol', s.token_symbol, 'owed', d.owed::text)), '[]')
        from card_debts d join safes s on s.id = d.safe_id
        where d.user_id = u.id and s.token_symbol is not null) as debts,
      (select coalesce(sum(c.amount_cents), 0)::text from card_cases c
        where c.user_id = u.id and c.kind in (${sql.raw(spell(waitingCaptureKinds))}) and c.status = 'OPEN') as "waitingCents",
      (select coalesce(sum(greatest((
          select paid.captured_cents from card_payments paid
          where paid.user_id = p.user_id and paid.thread_id = p.matched_thread_id limit 1) - (
          select coalesce(sum(c.amount_cents), 0) from card_cases c
          where c.subject_id = p.thread_id and c.kind in (${sql.raw(spell(waitingCaptureKinds))})
            and (c.status = 'OPEN' or c.closed_by <> ${closedByService})), 0)), 0)::text
        from card_payments p
        where p.user_id = u.id and p.created_at >= ${openSince.toISOString()}::timestamptz and p.status = 'EXPIRED'
          and p.matched_thread_id is not null and p.expired_at is null) as "matchedCents"
    from users u where u.id in (select json_array_elements_text(${JSON.stringify(userIds)}::json))`);
  return rows.map(({ debts, waitingCents, matchedCents, ...row }) => ({
    ...row,
    waitingCents: BigInt(waitingCents),
    matchedCents: BigInt(matchedCents),
    debts: debts.map(({ tokenSymbol, owed }) => ({ tokenSymbol, owed: BigInt(owed) })),
  }));
}

/** Takes the row lock of a person at the issuer, which comes after all others; null for a person without cards. */
export async function lockCardholder(tx: Tx, userId: string): Promise<Cardholder | null> {
  const [row] = await tx.select().from(cardholders).where(eq(cardholders.userId, userId)).for("no key update");
  return row ?? null;
}

/** The next people in the order of their ids, with their row locks. */
export async function lockCardholdersAfter(tx: Tx, after: string, limit: number): Promise<Cardholder[]> {
  const next = tx.select().from(cardholders).where(gt(cardholders.userId, after));
  return next.orderBy(asc(cardholders.userId)).limit(limit).for("no key update");
}

/** What changes of a person at the issuer. */
export type CardholderChange = Partial<
  Pick<
    Cardholder,
    | "issuerStatus"
    | "issuerSyncedStatus"
    | "issuerDetails"
    | "issuerSyncedDetails"
    | "issuerRefusedDetails"
    | "issuerCallEndsAt"
  >
>;

export async function updateCardholder(tx: Tx, userId: string, change: CardholderChange): Promise<void> {
  await tx.update(cardholders).set(change).where(eq(cardholders.userId, userId));
}

/** Has details sent again that the issuer refused, of one person or of all; whether there were any. */
export async function forgetRefusedDetails(tx: Tx, userId?: string): Promise<boolean> {
  const isOf = userId === undefined ? undefined : eq(cardholders.userId, userId);
  const rows = await tx
    .update(cardholders)
    .set({ issuerRefusedDetails: null })
    .where(and(isNotNull(cardholders.issuerRefusedDetails), isOf))
    .returning({ userId: cardholders.userId });
  return rows.length > 0;
}

/** Gives some people one status that the issuer should have. */
export async function setIssuerStatus(
  tx: Tx,
  userIds: readonly string[],
  issuerStatus: CardholderStatus,
): Promise<void> {
  if (userIds.length === 0) return;
  await tx
    .update(cardholders)
    .set({ issuerStatus })
    .where(inArray(cardholders.userId, [...userIds]));
}

const isBehind = sql`(${isPersonBehindAtIssuer(cardholders)})`;

/** People that have another status or other details here than at the issuer, and no call under way, in the order of their ids. */
export async function listCardholdersBehind(
  on: Executor,
  { after, now, limit }: { after: string; now: Date; limit: number },
): Promise<string[]> {
  const isFree = or(isNull(cardholders.issuerCallEndsAt), lt(cardholders.issuerCallEndsAt, now));
  const rows = await on
    .select({ userId: cardholders.userId })
    .from(cardholders)
    .where(and(isBehind, isFree, gt(cardholders.userId, after)))
    .orderBy(asc(cardholders.userId))
    .limit(limit);
  return rows.map(({ userId }) => userId);
}

/** A count ends here, so that a stop of a large programme stays cheap to look at. */
const countMax = 5_000;

/** How many people the issuer does not have the right status of, of all; each up to `countMax`. */
export async function countCardholders(on: Executor): Promise<{ behind: number; all: number }> {
  const people = () => on.select({ userId: cardholders.userId }).from(cardholders);
  const ofBehind = people().where(isBehind).orderBy(cardholders.userId).limit(countMax).as("behind");
  const [[behind], [all]] = await Promise.all([
    on.select({ count: count() }).from(ofBehind),
    on.select({ count: count() }).from(people().limit(countMax).as("people")),
  ]);
  return { behind: behind?.count ?? 0, all: all?.count ?? 0 };
}

/** People whose status the issuer has not taken for so long, those first who may not spend. Their details are no status. */
export async function listLateCardholders(
  on: Executor,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<{ id: string; issuerStatus: CardholderStatus }[]> {
  const { userId: id, issuerStatus } = cardholders;
  const isStatusBehind = and(isBehind, sql`(${isBehindAtIssuer(cardholders)})`);
  const behind = { table: cardholders, id, issuerStatus, isBehind: isStatusBehind, task: "cardholder.sync" } as const;
  return listLate(on, behind, { seconds, limit });
}

/** The people that are inactive at the issuer by our records. */
export async function listInactiveCardholders(on: Executor): Promise<Cardholder[]> {
  return on
    .select()
    .from(cardholders)
    .where(isOneOf(cardholders.issuerSyncedStatus, ["inactive"]));
}

/** People by the issuer's ids, however many. */
export async function listCardholdersByIssuerId(on: Executor, issuerIds: readonly string[]): Promise<Cardholder[]> {
  if (issuerIds.length === 0) return [];
  return on.select().from(cardholders).where(isAmong(cardholders.issuerId, issuerIds));
}

/** The cards that the issuer should have as inactive by our records. */
export async function listInactiveCards(
  on: Executor,
): Promise<
  Pick<typeof cards.$inferSelect, "id" | "cardToken" | "issuerStatus" | "issuerSyncedStatus" | "issuerCallEndsAt">[]
> {
  const { id, cardToken, issuerStatus, issuerSyncedStatus, issuerCallEndsAt } = cards;
  return on
    .select({ id, cardToken, issuerStatus, issuerSyncedStatus, issuerCallEndsAt })
    .from(cards)
    .where(isOneOf(cards.issuerSyncedStatus, ["inactive"]));
}
