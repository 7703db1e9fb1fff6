/** Records that the law keeps: verified identities, what stays of erased people, and holds by a court or an authority. */
import { type SQL, sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { instant, isOneOf } from "../columns.ts";
import { users } from "./users.ts";

/** Partners that a verified identity is disclosed to; `partner:` is a client of the identity provider, by its id there. */
export type IdentityReceiver = "issuer" | "emoney" | `partner:${string}`;

/** Classes of records, each with a time that begins at the end of the relation. */
export const recordClassNames = ["identity", "payments"] as const;
export type RecordClassName = (typeof recordClassNames)[number];

/** The key of one person, sealed. What it seals is unreadable in every backup once the key is destroyed. */
export const personKeys = pgTable(
  "person_keys",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id),
    sealedKey: text().notNull(),
    createdAt: instant().notNull(),
    /** When it is destroyed, after the person's erasure; null before. */
    until: instant(),
  },
  (table) => [index("person_keys_until").on(table.until)],
);

/** What was verified about a person: a version for each verdict with other data. Only its receivers are added to one. */
export const identityVersions = pgTable(
  "identity_versions",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    /** The provider's level of the review, and its time of the verdict. */
    level: text(),
    verifiedAt: instant().notNull(),
    /** The person's data in JSON, sealed with the person's key. */
    sealed: text().notNull(),
    /** When it was first disclosed, or about to be, to each partner that has received it. Instants are in ISO 8601. */
    disclosedTo: jsonb()
      .$type<Partial<Record<IdentityReceiver, string>>>()
      .notNull()
      .default(sql`'{}'`),
    recordedAt: instant().notNull(),
    /** When it is deleted, after the person's erasure; null before. */
    until: instant(),
  },
  (table) => [
    index("identity_versions_user").on(table.userId, table.recordedAt),
    index("identity_versions_until").on(table.until),
  ],
);

/** What the law keeps of an erased person, sealed with the person's key. Nothing of the service reads it. */
export const restrictedRecords = pgTable(
  "restricted_records",
  {
    userId: text()
      .notNull()
      .references(() => users.id),
    recordClass: text().$type<RecordClassName>().notNull(),
    /** The rows in JSON, by table, sealed. */
    sealed: text().notNull(),
    /** When it is deleted. */
    until: instant().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.recordClass] }),
    index("restricted_records_until").on(table.until),
    check("restricted_records_class", isOneOf(table.recordClass, recordClassNames)),
  ],
);

/** While one is open, the person is not erased, and no record about the person is deleted by its age: see `retention.ts`. */
export const legalHolds = pgTable(
  "legal_holds",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    /** Who demands it, in the operator's words. */
    reason: text().notNull(),
    placedBy: text().notNull(),
    placedAt: instant().notNull(),
    liftedBy: text(),
    liftedAt: instant(),
  },
  (table) => [
    uniqueIndex("legal_holds_one_open")
      .on(table.userId)
      .where(sql`${table.liftedAt} is null`),
    index("legal_holds_user").on(table.userId),
    check("legal_holds_lifted", sql`(${table.liftedAt} is null) = (${table.liftedBy} is null)`),
  ],
);

/** Condition: no hold is open about a row's person. */
export const isNotHeld = (userId: unknown): SQL =>
  sql`not exists (select from ${legalHolds} where ${legalHolds.userId} = ${userId} and ${legalHolds.liftedAt} is null)`;
