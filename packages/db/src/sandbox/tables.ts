/** The tables of the sandbox, in a schema of their own. The sandbox makes them when it starts; production has none of them. */
import { type SQL, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { counter, instant } from "../schema/columns.ts";

/** @public because drizzle-kit reads it. */
export const sandbox = pgSchema("sandbox");

/** Mails and text messages that were sent. */
export const messages = sandbox.table(
  "messages",
  {
    id: text().primaryKey(),
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    channel: text().$type<"mail" | "phone">().notNull(),
    to: text().notNull(),
    subject: text().notNull(),
    text: text().notNull(),
    /** The same as HTML; null for a text message. */
    html: text(),
    code: text(),
    sentAt: instant().notNull(),
  },
  (table) => [
    index("messages_to").on(table.channel, table.to, table.sequence),
    index("messages_channel").on(table.channel, table.sequence),
  ],
);

/** Applicants as the identity provider knows them. */
export const kycApplicants = sandbox.table("kyc_applicants", {
  id: text().primaryKey(),
  externalUserId: text().notNull().unique("kyc_applicants_external_user_id"),
  /** The level of the review. */
  levelName: text().notNull(),
  reviewStatus: text().notNull(),
  reviewResult: jsonb(),
  isDeactivated: boolean().notNull().default(false),
  info: jsonb().notNull(),
  createdAt: instant().notNull(),
});

/** The card of an authorization, which has it whole, or of a transaction, which has its id. */
export const issuerCardOf = (data: AnyPgColumn): SQL => sql`(coalesce(${data} #>> '{card,id}', ${data} ->> 'card'))`;

/** Objects of the card issuer, as its API shows them. `hidden` is shown only on request. */
export const issuerObjects = sandbox.table(
  "issuer_objects",
  {
    id: text().primaryKey(),
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    /** As in its JSON: `issuing.card`, `issuing.cardholder`, ... */
    object: text().notNull(),
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Number, security code and PIN of a card. */
    hidden: jsonb().$type<Record<string, string>>().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    index("issuer_objects_list").on(table.object, table.sequence),
    index("issuer_objects_card").on(table.object, issuerCardOf(table.data), table.sequence),
    index("issuer_objects_cardholder").on(table.object, sql`(${table.data} ->> 'cardholder')`, table.sequence),
    index("issuer_objects_data").using("gin", table.data.op("jsonb_path_ops")),
    uniqueIndex("issuer_objects_number").on(sql`(${table.hidden} ->> 'number')`),
  ],
);

/** Replies of the issuer by idempotency key. */
export const issuerReplies = sandbox.table("issuer_replies", {
  key: text().primaryKey(),
  requestHash: text().notNull(),
  status: integer().notNull(),
  reply: jsonb().notNull(),
  createdAt: instant().notNull(),
});

/** Records of one kind, spelled for the partial indexes of its data. */
export const isOfKind = (column: AnyPgColumn, kind: "profile" | "iban"): SQL =>
  sql`${column} = ${sql.raw(`'${kind}'`)}`;

/** Documents of the e-money institution: profiles, addresses, IBANs, orders, codes, tokens, subscriptions. */
export const emoneyRecords = sandbox.table(
  "emoney_records",
  {
    kind: text().notNull(),
    id: text().notNull(),
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    /** The profile it belongs to, for what belongs to one. */
    profile: text(),
    data: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id] }),
    index("emoney_records_kind").on(table.kind, table.sequence),
    index("emoney_records_holder")
      .on(sql`(${table.data} ->> 'holder')`)
      .where(isOfKind(table.kind, "profile")),
    index("emoney_records_address")
      .on(sql`(${table.data} ->> 'address')`, table.sequence)
      .where(isOfKind(table.kind, "iban")),
    index("emoney_records_profile").on(table.kind, table.profile, table.sequence),
  ],
);

/** What the OpenID provider keeps: people, its keys, sessions, grants and tokens. */
export const identityRecords = sandbox.table(
  "identity_records",
  {
    kind: text().notNull(),
    id: text().notNull(),
    data: jsonb().$type<Record<string, unknown>>().notNull(),
    /** By which else a record is found or revoked; null for those that have none. */
    grantId: text(),
    uid: text(),
    userCode: text(),
    expiresAt: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id] }),
    index("identity_records_grant").on(table.grantId),
    index("identity_records_uid").on(table.kind, table.uid),
    index("identity_records_code").on(table.kind, table.userCode),
    index("identity_records_age").on(table.expiresAt),
  ],
);

/** Webhook receivers: each answers with the next statuses in order, then with 200, always after `delayMs`. */
export const inboxes = sandbox.table("inboxes", {
  name: text().primaryKey(),
  statuses: integer().array().notNull(),
  delayMs: integer().notNull(),
});

/** One row: how far the sandbox has moved the service's clock, in case the service's database goes back. */
export const movedClock = sandbox.table("moved_clock", {
  id: integer().primaryKey(),
  offsetSeconds: counter().notNull(),
});

/** Every attempt that a webhook receiver got. */
export const inboxAttempts = sandbox.table(
  "inbox_attempts",
  {
    id: text().primaryKey(),
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    name: text().notNull(),
    headers: jsonb().$type<Record<string, string>>().notNull(),
    body: text().notNull(),
    verified: boolean().notNull(),
    status: integer().notNull(),
    receivedAt: instant().notNull(),
  },
  (table) => [index("inbox_attempts_name").on(table.name, table.sequence)],
);
