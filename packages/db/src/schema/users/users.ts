/** People, the wallets they sign in with, the terms they accepted, and the messages that they get. */
import {
  defaultMessageChoices,
  type MessageChoices,
  type MessageKind,
  messageKindNames,
} from "@cardkeep/contract/users/messages";
import { type KycStatus, kycStatuses } from "@cardkeep/contract/verification/kyc";
import { type SQL, sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { address, counter, instant, isOneOf, requestId } from "../columns.ts";
import { partners } from "../partners/partners.ts";

/** Rating of a person's answers about their money, best first. Cards need a better one than the last. */
export const risks = ["green", "orange", "red"] as const;
export type Risk = (typeof risks)[number];

/** First and last name as the operator's search finds them. */
export const searchName = (table: Record<"firstName" | "lastName", AnyPgColumn>): SQL =>
  sql`lower(coalesce(${table.firstName}, '') || ' ' || coalesce(${table.lastName}, ''))`;

/** What stands before the `@` of a mail address, and what behind it: domains are the same for many people. */
export const searchMail = (table: Record<"email", AnyPgColumn>): { local: SQL; domain: SQL } => ({
  local: sql`split_part(lower(${table.email}), '@', 1)`,
  domain: sql`split_part(lower(${table.email}), '@', 2)`,
});

export const users = pgTable(
  "users",
  {
    id: text().primaryKey(),
    email: text().notNull(),
    /** When the user entered a code that was mailed there; null: the address is unproven. */
    emailProvenAt: instant(),
    phone: text(),
    /** The proven number that `phone` replaced, or is about to; null where it replaced none. */
    formerPhone: text(),
    /** When the window of `contactWindow.ts` began, and until when it keeps, or kept, card secrets closed. */
    contactChangedAt: instant(),
    contactSettlesAt: instant(),
    firstName: text(),
    lastName: text(),
    /** Both in Latin letters, as the identity provider writes them; null where it names none. */
    latinFirstName: text(),
    latinLastName: text(),
    birthDate: text(),
    address1: text(),
    address2: text(),
    city: text(),
    postalCode: text(),
    state: text(),
    country: text(),
    nationalityCountry: text(),
    kycStatus: text().$type<KycStatus>().notNull(),
    isPhoneValidated: boolean().notNull().default(false),
    isSourceOfFundsAnswered: boolean().notNull().default(false),
    /** Internal: no route shows it. Null until the questions are answered. */
    sourceOfFundsRisk: text().$type<Risk>(),
    partnerId: text().references(() => partners.id),
    referralCouponCode: text(),
    marketingCampaign: text(),
    /** Of mails, messages and pages, ISO 639-1; null: the programme's. */
    language: text(),
    /** Which messages the user gets, and how. */
    messageChoices: jsonb().$type<MessageChoices>().notNull().default(defaultMessageChoices),
    status: text().$type<"ACTIVE" | "DEACTIVATED">().notNull().default("ACTIVE"),
    createdAt: instant().notNull(),
    /** When the personal data were erased; null before. */
    erasedAt: instant(),
  },
  (table) => [
    uniqueIndex("users_email").on(sql`lower(${table.email})`),
    // A number proves one person.
    uniqueIndex("users_validated_phone")
      .on(table.phone)
      .where(sql`${table.isPhoneValidated}`),
    index("users_kyc").on(table.kycStatus, table.id),
    // Rules of a partner are tried on the payments of its users.
    index("users_partner")
      .on(table.partnerId, table.id)
      .where(sql`${table.partnerId} is not null`),
    index("users_deactivated")
      .on(table.id)
      .where(sql`${table.status} = 'DEACTIVATED'`),
    index("users_referral_code").on(sql`upper(${table.referralCouponCode})`),
    // Finds parts of them. It changes with these columns alone, so a change of a status costs nothing.
    index("users_search").using(
      "gin",
      sql`(${searchMail(table).local}) gin_trgm_ops`,
      sql`(${searchName(table)}) gin_trgm_ops`,
      table.phone.op("gin_trgm_ops"),
    ),
    index("users_mail_domain").on(sql`(${searchMail(table).domain}) text_pattern_ops`),
    check("users_kyc_status", isOneOf(table.kycStatus, kycStatuses)),
    check("users_source_of_funds_risk", isOneOf(table.sourceOfFundsRisk, risks)),
  ],
);

export const signInWallets = pgTable(
  "sign_in_wallets",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    address: address().notNull(),
    /** When the wallet first signed; null: the user only named it. */
    provenAt: instant(),
    /** Whether the user added it. The other one is the wallet that signed up. */
    isAdded: boolean().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("sign_in_wallets_address").on(table.address),
    index("sign_in_wallets_user").on(table.userId),
    index("sign_in_wallets_search").on(sql`lower(${table.address}) text_pattern_ops`),
  ],
);

/** Wallets that were removed while access tokens of theirs may still live. */
export const removedSignInWallets = pgTable(
  "removed_sign_in_wallets",
  {
    id: text().primaryKey(),
    /** By the clock of the database, which all servers share. */
    removedAt: instant().notNull(),
  },
  (table) => [index("removed_sign_in_wallets_age").on(table.removedAt)],
);

/** Versions of the terms that an operator published; of each type the newest counts, and a type without one has the service's own. */
export const termsVersions = pgTable(
  "terms_versions",
  {
    type: text().notNull(),
    version: text().notNull(),
    /** Order in which they were published. */
    sequence: counter().notNull().generatedAlwaysAsIdentity(),
    publishedAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.type, table.version] })],
);

/** Every acceptance of a version; none is written over. */
export const termsAcceptances = pgTable(
  "terms_acceptances",
  {
    userId: text()
      .notNull()
      .references(() => users.id),
    type: text().notNull(),
    version: text().notNull(),
    acceptedAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.type, table.version] })],
);

/** What a message is about: an event by its type, or what no event reports. */
export const messageAbout = ["event", "withdrawal", "wallet", "refund"] as const;
export type MessageAbout = (typeof messageAbout)[number];

/** Messages by choice, and warnings, that wait to be sent, once for each subject. A sent one is deleted. */
export const userMessages = pgTable(
  "user_messages",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    kind: text().$type<MessageKind>().notNull(),
    about: text().$type<MessageAbout>().notNull(),
    /** Id of the event, of the delayed operation, of the sign-in wallet, or of the transfer of a refund by hand; or a warning. */
    subjectId: text().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
  },
  (table) => [
    unique("user_messages_subject").on(table.about, table.subjectId),
    index("user_messages_user").on(table.userId, table.id),
    check("user_messages_kind", isOneOf(table.kind, messageKindNames)),
    check("user_messages_about", isOneOf(table.about, messageAbout)),
  ],
);

/** The contact details that an operator may ask a person to change. */
export const contactKinds = ["email", "phone"] as const;
export type ContactKind = (typeof contactKinds)[number];
/** How a change ended. */
export const contactChangeOutcomes = ["changed", "refused", "expired", "withdrawn"] as const;
export type ContactChangeOutcome = (typeof contactChangeOutcomes)[number];

/** Changes of a mail address or phone number that an operator asked for. The person's own act alone carries one out. */
export const contactChanges = pgTable(
  "contact_changes",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id),
    kind: text().$type<ContactKind>().notNull(),
    /** What the contact was when the change was asked for, and what it is to be. */
    former: text().notNull(),
    value: text().notNull(),
    /** SHA-256 of the token in the link, which goes to contacts that the person had before. */
    tokenHash: text().notNull().unique("contact_changes_token_hash"),
    /** Name of the operator who asked for it. */
    operator: text().notNull(),
    requestId: requestId(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
    /** When the person agreed by the link; a code goes to the new contact then. */
    confirmedAt: instant(),
    endedAt: instant(),
    outcome: text().$type<ContactChangeOutcome>(),
  },
  (table) => [
    uniqueIndex("contact_changes_one_open")
      .on(table.userId)
      .where(sql`${table.endedAt} is null`),
    index("contact_changes_user").on(table.userId, table.createdAt),
    index("contact_changes_age").on(table.createdAt),
    check("contact_changes_kind", isOneOf(table.kind, contactKinds)),
    check("contact_changes_outcome", isOneOf(table.outcome, contactChangeOutcomes)),
    check("contact_changes_ended", sql`(${table.endedAt} is null) = (${table.outcome} is null)`),
  ],
);
