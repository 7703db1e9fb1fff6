/** Searches for cards, their payments and their orders. */
import { type SQL, sql } from "drizzle-orm";
import type { Clue, SearchKind } from "../../../searchRows.ts";
import { selectSubjects } from "./operations.ts";

function findCardIds(clue: Clue, limit: number): SQL | null {
  switch (clue.by) {
    case "id":
      return sql`select ${clue.text}`;
    case "request":
      return sql`select id from cards where request_id = ${clue.text} limit ${limit}`;
    case "reference":
      return sql`select id from cards where card_token = ${clue.text}`;
    case "lastFour":
      return sql`select id from cards where last_four_digits = ${clue.text} order by created_at desc limit ${limit}`;
    default:
      return null;
  }
}

export const searchedCards: SearchKind = {
  findIds: findCardIds,
  columns: sql`c.id, '… ' || c.last_four_digits as title, case when c.virtual then 'virtual' else 'physical' end as detail,
    c.status_code as status, c.user_id as "userId", c.created_at as "createdAt"`,
  from: sql`cards c`,
  id: sql`c.id`,
};

/** Between a payment's id and its event's, both made while a request is answered, is less time. */
const requestMsMax = 10_000;

/** The lowest id of version 7 that is made `requestMsMax` before another one. */
const buildLowestId = (id: SQL): SQL => sql`(
  select left(digits, 8) || '-' || right(digits, 4) from (select lpad(to_hex(
    ('x' || left(replace(${id}, '-', ''), 12))::bit(48)::bigint - ${requestMsMax}::bigint), 12, '0') as digits) lowest)`;

function findPaymentIds(clue: Clue, limit: number): SQL | null {
  switch (clue.by) {
    case "id":
      return sql`select ${clue.text}`;
    case "reference":
      return sql`select payment_id from card_threads where thread_id = ${clue.text}`;
    case "hash":
      return sql`select split_part(subject_id, ':', 1) from (${selectSubjects(clue.text)}) subjects`;
    case "request":
      // No index of payments has the request: each decision would write to it. Its event leads to the payment's moment.
      return sql`select p.id from events e join card_payments p on p.id >= ${buildLowestId(sql`e.id`)} and p.id < e.id
        where e.request_id = ${clue.text} and e.event_type like 'card.transaction.%' and p.request_id = e.request_id
        limit ${limit}`;
    default:
      return null;
  }
}

export const searchedPayments: SearchKind = {
  findIds: findPaymentIds,
  columns: sql`p.id, coalesce(p.merchant_name, p.thread_id) as title,
    (p.authorized_cents / 100.0)::numeric(20, 2) || ' ' || p.billing_currency as detail, p.status, p.user_id as "userId",
    p.created_at as "createdAt"`,
  from: sql`card_payments p`,
  id: sql`p.id`,
};

function findOrderIds(clue: Clue, limit: number): SQL | null {
  switch (clue.by) {
    case "id":
      return sql`select ${clue.text}`;
    case "request":
      return sql`select id from orders where request_id = ${clue.text} limit ${limit}`;
    case "hash":
      return sql`select order_id from payment_hashes where hash = ${clue.text}`;
    default:
      return null;
  }
}

export const searchedOrders: SearchKind = {
  findIds: findOrderIds,
  columns: sql`o.id, o.id as title, case when o.virtual then 'virtual card' else 'physical card' end as detail, o.status,
    o.user_id as "userId", o.created_at as "createdAt"`,
  from: sql`orders o`,
  id: sql`o.id`,
};
