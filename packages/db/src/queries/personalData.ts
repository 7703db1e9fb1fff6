/**
 * What is known of a person, table by table, and what becomes of it when the person is erased.
 *
 * - holding: the rows of one table that are a user's. - kept: what has to stay, with the reason; the rest of it is blanked.
 *
 * A test fails for a table with a user's id that has no entry here.
 */
import { endedCardStatuses } from "@cardkeep/contract/cards";
import { delayMachine } from "@cardkeep/contract/delays";
import { listFinalStates } from "@cardkeep/contract/machine";
import { orderMachine } from "@cardkeep/contract/orders";
import { and, eq, getTableName, inArray, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Executor, Tx } from "../client.ts";
import { isNoneOf, isOneOf } from "../schema/columns.ts";
import {
  cardClearings,
  cardDisputes,
  cardEnvelopes,
  cardholders,
  cardIssues,
  cardPayments,
  cards,
  codes,
  couponRedemptions,
  delayTransactions,
  emoneyCallbacks,
  events,
  ibanOrders,
  ibans,
  idempotencyKeys,
  kycApplications,
  kycCallbacks,
  oauthStates,
  orders,
  safes,
  signInWallets,
  sourceOfFunds,
  subscriptionMessages,
  subscriptions,
  termsAcceptances,
  users,
} from "../schema/tables.ts";
import type { User } from "./users.ts";

interface Holding {
  readonly table: PgTable;
  /** Which rows are a user's. */
  readonly of: (user: User) => SQL | undefined;
  /** Columns that are of no use to the person and dangerous elsewhere. */
  readonly secret?: readonly string[];
  /** Rows that are not finished: while there are any, nobody is erased. */
  readonly open?: SQL;
  /** Null: the rows go. */
  readonly kept: {
    readonly reason: string;
    readonly blank?: (user: User, now: Date) => Record<string, unknown>;
  } | null;
}

const ofUser = (column: AnyPgColumn) => (user: User) => eq(column, user.id);

/** In the order in which they are erased. */
const holdings: readonly Holding[] = [
  { table: idempotencyKeys, of: ({ id }) => sql`starts_with(${idempotencyKeys.scope}, ${`${id}:`})`, kept: null },
  {
    table: codes,
    of: ({ id, email, phone }) => {
      const names = [id, email.toLowerCase(), ...(phone === null ? [] : [phone])];
      return sql`${inArray(codes.subject, names)} or ${inArray(codes.receiver, names)}`;
    },
    secret: ["codeHash"],
    kept: null,
  },
  {
    table: events,
    of: ofUser(events.userId),
    kept: {
      reason: "That something was told, and when; not what: partners' sequences have no gaps",
      blank: () => ({ data: {} }),
    },
  },
  { table: subscriptionMessages, of: ofUser(subscriptionMessages.userId), kept: null },
  {
    table: subscriptions,
    of: ofUser(subscriptions.userId),
    kept: { reason: "That a partner was told, which hears no more" },
  },
  { table: signInWallets, of: ofUser(signInWallets.userId), kept: null },
  {
    table: kycCallbacks,
    of: ofUser(kycCallbacks.userId),
    kept: { reason: "So that a callback that comes again is known", blank: () => ({ body: {} }) },
  },
  {
    table: kycApplications,
    of: ofUser(kycApplications.userId),
    kept: { reason: "Names the file that the identity provider keeps by the law against money laundering" },
  },
  {
    table: sourceOfFunds,
    of: ofUser(sourceOfFunds.userId),
    kept: {
      reason: "What the answers were worth, by the law against money laundering",
      blank: () => ({ answers: [] }),
    },
  },
  {
    table: termsAcceptances,
    of: ofUser(termsAcceptances.userId),
    kept: { reason: "Proof of what was agreed to" },
  },
  {
    table: cardEnvelopes,
    of: ofUser(cardEnvelopes.userId),
    secret: ["encryptedKey", "encryptedData", "iv"],
    open: sql`${cardEnvelopes.outcome} is null`,
    kept: null,
  },
  {
    table: cardDisputes,
    of: ({ id }) =>
      sql`exists (select from ${cardPayments} p where p.id = ${cardDisputes.paymentId} and p.user_id = ${id})`,
    open: isOneOf(cardDisputes.status, ["requested", "created"]),
    kept: { reason: "What was claimed of a merchant, by the law of accounting" },
  },
  {
    table: cardClearings,
    of: ofUser(cardClearings.userId),
    kept: { reason: "What was claimed and given back, by the law of accounting" },
  },
  {
    table: cardPayments,
    of: ofUser(cardPayments.userId),
    open: sql`${isOneOf(cardPayments.status, ["REQUESTED", "AUTHORIZED"])} or ${cardPayments.owed} > 0`,
    kept: {
      reason: "A payment's amount, date and category, by the law of accounting",
      blank: () => ({ merchantName: null, merchantCity: null }),
    },
  },
  {
    table: cards,
    of: ofUser(cards.userId),
    open: isNoneOf(cards.statusCode, endedCardStatuses),
    kept: { reason: "Payments were made with it, and are accounted for", blank: () => ({ embossedName: null }) },
  },
  {
    table: cardIssues,
    of: ofUser(cardIssues.userId),
    secret: ["sealedPin"],
    open: isOneOf(cardIssues.status, ["open"]),
    kept: { reason: "Shows that no card was made twice", blank: () => ({ embossedName: null }) },
  },
  {
    table: cardholders,
    of: ofUser(cardholders.userId),
    kept: { reason: "Names the file that the card issuer keeps by its own law" },
  },
  { table: oauthStates, of: ofUser(oauthStates.userId), secret: ["sealedVerifier"], kept: null },
  {
    table: emoneyCallbacks,
    of: ofUser(emoneyCallbacks.userId),
    kept: { reason: "So that a callback that comes again is known; it holds nothing else" },
  },
  { table: ibanOrders, of: ofUser(ibanOrders.userId), kept: null },
  {
    table: ibans,
    of: ofUser(ibans.userId),
    secret: ["sealedToken"],
    open: sql`${isOneOf(ibans.status, ["PENDING"])} or ${ibans.attempt} is not null`,
    kept: {
      reason: "Names the file that the e-money institution keeps by the law against money laundering",
      blank: () => ({ iban: null, bic: null, signature: null, sealedToken: null, status: "NOTSTARTED" }),
    },
  },
  {
    table: couponRedemptions,
    of: ofUser(couponRedemptions.userId),
    kept: { reason: "Counts what a coupon gave away" },
  },
  {
    table: orders,
    of: ofUser(orders.userId),
    open: isNoneOf(orders.status, listFinalStates(orderMachine)),
    kept: {
      reason: "An invoice's amount, date and country, by the law of accounting",
      blank: () => ({ embossedName: null, address1: null, address2: null, city: null, postalCode: null, state: null }),
    },
  },
  {
    table: delayTransactions,
    of: ofUser(delayTransactions.userId),
    open: isNoneOf(delayTransactions.status, listFinalStates(delayMachine)),
    kept: { reason: "What we sent to the chain, which is public there for ever" },
  },
  {
    table: safes,
    of: ofUser(safes.userId),
    open: isOneOf(safes.status, ["processing", "settingUp"]),
    kept: { reason: "The account stays on chain, and its owner's; the service has to know what it watches there" },
  },
  {
    table: users,
    of: ({ id }) => eq(users.id, id),
    kept: {
      reason: "What is kept elsewhere refers to it",
      blank: ({ id, erasedAt }, now) => ({
        erasedAt: erasedAt ?? now,
        email: `${id}@erased.invalid`,
        phone: null,
        isPhoneValidated: false,
        firstName: null,
        lastName: null,
        birthDate: null,
        address1: null,
        address2: null,
        city: null,
        postalCode: null,
        state: null,
        country: null,
        nationalityCountry: null,
        referralCouponCode: null,
        marketingCampaign: null,
        status: "DEACTIVATED",
      }),
    },
  },
];

/** Names of the tables that hold something of a person. */
export const listPersonalTables = (): string[] => holdings.map(({ table }) => getTableName(table));

export interface HeldRows {
  table: string;
  rows: Record<string, unknown>[];
}

/** Everything that is known of a user, but for what would open a door. */
export async function readPersonalData(on: Executor, user: User): Promise<HeldRows[]> {
  const read = async ({ table, of, secret = [] }: Holding): Promise<HeldRows> => {
    const rows: Record<string, unknown>[] = await on.select().from(table).where(of(user));
    const shown = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !secret.includes(name))));
    return { table: getTableName(table), rows: shown };
  };
  return Promise.all(holdings.map(read));
}

/** Names of the tables in which something of a user is under way. */
export async function listOpenTables(tx: Tx, user: User): Promise<string[]> {
  const found: string[] = [];
  for (const { table, of, open } of holdings) {
    if (open && (await tx.$count(table, and(of(user), open))) > 0) found.push(getTableName(table));
  }
  return found;
}

/** What became of one table's rows of a user. */
export interface Erasure {
  table: string;
  rows: number;
  /** Why they are still there, without what is personal about them; null: they are gone. */
  kept: string | null;
}

/** Removes or blanks everything that is known of a user, and tells what stays and why. */
export async function erasePersonalData(tx: Tx, user: User, now: Date): Promise<Erasure[]> {
  const erasures: Erasure[] = [];
  for (const { table, of, kept } of holdings) {
    const rows = await tx.$count(table, of(user));
    if (kept === null) await tx.delete(table).where(of(user));
    else if (kept.blank) await tx.update(table).set(kept.blank(user, now)).where(of(user));
    erasures.push({ table: getTableName(table), rows, kept: kept?.reason ?? null });
  }
  return erasures;
}
