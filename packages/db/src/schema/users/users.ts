/** People, the wallets they sign in with, and the terms they accepted. */
import { type KycStatus, kycStatuses } from "@cardkeep/contract/verification/kyc";
import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, boolean, check, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { address, counter, instant, isOneOf } from "../columns.ts";
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
    /** When a proven number was replaced by another proven one, and until when card secrets stay closed for it. */
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
