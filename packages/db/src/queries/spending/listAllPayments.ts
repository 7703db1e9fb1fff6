/** Card payments of everybody, as the operator lists them. */
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import { and, desc, eq, gte, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { spell } from "../../schema/columns.ts";
import { cardPayments, cards } from "../../schema/tables.ts";
import type { StandInDecision } from "../../schema/spending/standIns.ts";
import { listStandIns } from "./standIns.ts";
import type { CardPayment } from "./payments.ts";

/** Conditions on the payments of everybody; null leaves one out. */
export interface PaymentFilter {
  status: PaymentStatus | null;
  userId: string | null;
  cardId: string | null;
  /** The first letters of the merchant's name, in any letter case. */
  merchant: string | null;
  declineReason: string | null;
  /** Id of the last payment of the page before. */
  after: string | null;
}

export type ListedPayment = CardPayment & { lastFourDigits: string; standIn: StandInDecision | null };

/** Above every character, so that a name and this bound the names that begin with the name. */
const lastCharacter = "\u{10ffff}";

/** Spelled out, because an index of one status alone serves no parameter. */
const isStatus = (status: PaymentStatus): SQL => sql`${cardPayments.status} = ${sql.raw(spell([status]))}`;

function beginsWith(merchant: string): SQL {
  const name = sql`lower(${cardPayments.merchantName})`;
  const first = merchant.toLowerCase();
  return sql`${name} ~>=~ ${first} and ${name} ~<~ ${first + lastCharacter}`;
}

/** Condition: a payment of a user is older than another one of the same user. */
function isBefore({ id, userId }: Pick<CardPayment, "id" | "userId">): SQL {
  const at = sql`(select created_at from ${cardPayments} last where last.id = ${id} and last.user_id = ${userId})`;
  // The first condition is for the index.
  return sql`${cardPayments.createdAt} <= ${at} and (${cardPayments.createdAt} < ${at} or ${cardPayments.id} < ${id})`;
}

/** Payments, newest first. */
export async function listAllPayments(
  on: Executor,
  { status, userId, cardId, merchant, declineReason, after, limit }: PaymentFilter & { limit: number },
): Promise<ListedPayment[]> {
  const { id, createdAt } = cardPayments;
  const payments = await on
    .select()
    .from(cardPayments)
    .where(
      and(
        status === null ? undefined : isStatus(status),
        userId === null ? undefined : eq(cardPayments.userId, userId),
        cardId === null ? undefined : eq(cardPayments.cardId, cardId),
        merchant === null ? undefined : beginsWith(merchant),
        declineReason === null ? undefined : and(isStatus("DECLINED"), eq(cardPayments.declineReason, declineReason)),
        after === null ? undefined : userId === null ? lt(id, after) : isBefore({ id: after, userId }),
      ),
    )
    // The index of a user's payments has them in the order of their time; ids begin with it too.
    .orderBy(...(userId === null ? [] : [desc(createdAt)]), desc(id))
    .limit(limit);
  // By themselves: where payments are distributed, a join would bring all cards to each node.
  const digits = await listDigits(on, [...new Set(payments.map((payment) => payment.cardId))]);
  const standIns = await listStandIns(
    on,
    payments.map((payment) => payment.id),
  );
  return payments.map((payment) => ({
    ...payment,
    lastFourDigits: digits.get(payment.cardId) ?? "",
    standIn: standIns.get(payment.id)?.decision ?? null,
  }));
}

/** Payments read of a span of a few minutes. */
const nearbyMax = 200;

/** A user's payments between two instants, both included, by the index of a user's payments. */
export const listPaymentsBetween = (
  on: Executor,
  userId: string,
  { from, to }: { from: Date; to: Date },
): Promise<CardPayment[]> =>
  on
    .select()
    .from(cardPayments)
    .where(and(eq(cardPayments.userId, userId), gte(cardPayments.createdAt, from), lte(cardPayments.createdAt, to)))
    .orderBy(desc(cardPayments.createdAt))
    .limit(nearbyMax);

async function listDigits(on: Executor, ids: readonly string[]): Promise<Map<string, string>> {
  const { id, lastFourDigits } = cards;
  const rows =
    ids.length === 0
      ? []
      : await on
          .select({ id, lastFourDigits })
          .from(cards)
          .where(inArray(id, [...ids]));
  return new Map(rows.map((row) => [row.id, row.lastFourDigits]));
}
