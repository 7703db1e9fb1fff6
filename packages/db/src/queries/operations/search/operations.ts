/** Searches for delayed operations, relay transactions, partners, deliveries and events. */
import { type SQL, sql } from "drizzle-orm";
import { buildPattern, type Clue, type SearchKind } from "../../../searchRows.ts";

/** The subjects of the relay transaction that a hash stands for. */
export const selectSubjects = (hash: string): SQL => sql`
  select s.subject_id from relay_attempts a join relay_subjects s on s.relay_transaction_id = a.relay_transaction_id
  where a.hash = ${hash}`;

function findDelayIds(clue: Clue, limit: number): SQL | null {
  switch (clue.by) {
    case "id":
      return sql`select ${clue.text} union select id from delay_transactions where enqueue_task_id = ${clue.text}`;
    case "request":
      return sql`select id from delay_transactions where request_id = ${clue.text} limit ${limit}`;
    case "hash":
      // An owner may have executed it, without a relay transaction of ours.
      return sql`select id from delay_transactions where executed_hash = ${clue.text} union ${selectSubjects(clue.text)}`;
    default:
      return null;
  }
}

export const searchedDelays: SearchKind = {
  findIds: findDelayIds,
  columns: sql`d.id, d.kind as title, d.reason as detail, d.status, d.user_id as "userId", d.created_at as "createdAt"`,
  from: sql`delay_transactions d`,
  id: sql`d.id`,
};

function findRelayTransactionIds(clue: Clue): SQL | null {
  if (clue.by === "id") return sql`select ${clue.text}`;
  return clue.by === "hash" ? sql`select relay_transaction_id from relay_attempts where hash = ${clue.text}` : null;
}

export const searchedRelayTransactions: SearchKind = {
  findIds: findRelayTransactionIds,
  columns: sql`r.id, r.purpose as title, 'nonce ' || r.nonce || ' of ' || r.relayer as detail, r.status, null as "userId",
    r.created_at as "createdAt"`,
  from: sql`relay_transactions r`,
  id: sql`r.id`,
};

function findPartnerIds(clue: Clue, limit: number): SQL | null {
  if (clue.by === "reference") return sql`select ${clue.text}`;
  if (clue.by !== "words") return null;
  const pattern = sql`lower(${buildPattern(clue.text)})`;
  return sql`select id from partners where lower(id) like ${pattern} or lower(name) like ${pattern}
    union select partner_id from partner_domains where domain like ${pattern} limit ${limit}`;
}

export const searchedPartners: SearchKind = {
  findIds: findPartnerIds,
  columns: sql`p.id, p.name as title, p.webhook_reason as detail, p.status, null as "userId", p.created_at as "createdAt"`,
  from: sql`partners p`,
  id: sql`p.id`,
};

function findDeliveryIds(clue: Clue, limit: number): SQL | null {
  if (clue.by === "delivery") return sql`select ${clue.text}`;
  return clue.by === "id" ? sql`select id from deliveries where event_id = ${clue.text} limit ${limit}` : null;
}

export const searchedDeliveries: SearchKind = {
  findIds: findDeliveryIds,
  columns: sql`d.id, e.event_type as title, d.partner_id as detail, d.status, e.user_id as "userId",
    d.created_at as "createdAt"`,
  from: sql`deliveries d join events e on e.id = d.event_id`,
  id: sql`d.id`,
};

function findEventIds(clue: Clue, limit: number): SQL | null {
  if (clue.by === "id") return sql`select ${clue.text}`;
  return clue.by === "request" ? sql`select id from events where request_id = ${clue.text} limit ${limit}` : null;
}

export const searchedEvents: SearchKind = {
  findIds: findEventIds,
  columns: sql`e.id, e.event_type as title, e.request_id as detail, null as status, e.user_id as "userId",
    e.created_at as "createdAt"`,
  from: sql`events e`,
  id: sql`e.id`,
};
