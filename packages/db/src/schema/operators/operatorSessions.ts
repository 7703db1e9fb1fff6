/** Sessions of operators, and sign-ins under way. */
import { sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, text, unique } from "drizzle-orm/pg-core";
import { instant, isOneOf } from "../columns.ts";

/** A browser, a terminal, or a program by the operator's API. */
export const sessionWays = ["page", "cli", "api"] as const;
export type SessionWay = (typeof sessionWays)[number];
/** `oidc`: the OpenID provider named the person. `key`: the shared key, which names no person. */
export const sessionProofs = ["oidc", "key"] as const;
export const sessionEndings = ["signed-out", "replaced", "ended", "logged-out", "refused"] as const;

/** One per sign-in. A row that ended stays for a while, so that operators see who was signed in. */
export const operatorSessions = pgTable(
  "operator_sessions",
  {
    id: text().primaryKey(),
    /** SHA-256 of the secret in the cookie, so that a reader of the table cannot take a session over. */
    secretHash: text().notNull(),
    way: text().$type<SessionWay>().notNull(),
    proof: text().$type<(typeof sessionProofs)[number]>().notNull(),
    /** Null for the shared key. */
    issuer: text(),
    /** The provider's id of the person; for the shared key, the name of the key. */
    subject: text().notNull(),
    /** The provider's id of its own session, by which it ends this one; null where it names none. */
    providerSession: text(),
    name: text().notNull(),
    /** Null unless the provider verified it. */
    mail: text(),
    /** As the provider named them last. Settings turn them into roles at each request. */
    groups: jsonb().$type<readonly string[]>().notNull(),
    /** Encrypted; null where the provider gave none. */
    sealedRefreshToken: text(),
    /** When the provider is asked again; null without a refresh token. */
    refreshAt: instant(),
    startedAt: instant().notNull(),
    seenAt: instant().notNull(),
    /** The latest end. */
    endsAt: instant().notNull(),
    endedAt: instant(),
    ending: text().$type<(typeof sessionEndings)[number]>(),
  },
  (table) => [
    unique("operator_sessions_secret").on(table.secretHash),
    index("operator_sessions_age").on(table.endsAt),
    index("operator_sessions_subject").on(table.subject),
    check("operator_sessions_way", isOneOf(table.way, sessionWays)),
    check("operator_sessions_proof", isOneOf(table.proof, sessionProofs)),
    check("operator_sessions_issuer", sql`(${table.proof} = 'oidc') = (${table.issuer} is not null)`),
    check("operator_sessions_ended", sql`(${table.endedAt} is null) = (${table.ending} is null)`),
    check("operator_sessions_refresh", sql`(${table.sealedRefreshToken} is null) = (${table.refreshAt} is null)`),
  ],
);

/** Sign-ins under way at the provider. The first answer with the state uses its row up. */
export const operatorSignIns = pgTable(
  "operator_sign_ins",
  {
    /** SHA-256 of the state. */
    stateHash: text().primaryKey(),
    /** SHA-256 of the secret in the cookie of the browser that began. */
    browserHash: text().notNull(),
    nonce: text().notNull(),
    /** Encrypted. */
    sealedVerifier: text().notNull(),
    /** The page to open afterwards. */
    next: text().notNull(),
    expiresAt: instant().notNull(),
  },
  (table) => [index("operator_sign_ins_age").on(table.expiresAt)],
);
