/** The user in the API, and the terms that a user accepts. */
import { z } from "zod";
import { cardSummary } from "../cards/cards.ts";
import { bankingDetails } from "./ibans.ts";
import { kycStatus } from "../verification/kyc.ts";
import { address, id, instant } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";
import { tokenSymbol } from "../accounts/safes.ts";
import { signInWallet } from "./signInWallets.ts";

/** A text that is null if there is none. */
const text = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description}; null if there is none`, examples: [example] });
const userId = id.meta({ description: "The user's id" });

const safeWallet = z
  .object({
    address: address.meta({ description: "The Safe's address" }),
    chainId: z.string().meta({ description: "The chain's id", examples: ["100"] }),
    tokenSymbol: tokenSymbol.nullable().meta({ description: "The Safe's currency; null before it is set" }),
    createdAt: instant.meta({ description: "When it was requested" }),
  })
  .meta({ id: "SafeAccount", description: "The user's Safe" });

const failure = { style: "message", text: "Internal server error" } as const;

/** The user's own fields, without cards, Safe and wallets. */
export const userFields = {
  id: userId,
  email: text("E-mail address", "ada@example.org"),
  phone: text("Validated phone number in E.164 form", "+4915112345678"),
  firstName: text("First name, as KYC verified it", "Ada"),
  lastName: text("Last name, as KYC verified it", "Lovelace"),
  address1: text("Street and number", "Unter den Linden 1"),
  address2: text("Second line of the street", "2. OG"),
  city: text("City", "Berlin"),
  postalCode: text("Postal code", "10117"),
  state: text("State or province", "BE"),
  country: text("Country of residence, ISO 3166-1 alpha-2", "DE"),
  nationalityCountry: text("Nationality, ISO 3166-1 alpha-2", "DE"),
  kycStatus,
  availableFeatures: z
    .object({
      emoneyIban: z.boolean().meta({ description: "Whether the user may request an IBAN now", examples: [true] }),
    })
    .meta({ description: "What the user may request" }),
  isSourceOfFundsAnswered: z
    .boolean()
    .meta({ description: "Whether the questions about the source of funds are answered", examples: [true] }),
  isPhoneValidated: z.boolean().meta({ description: "Whether the phone number is validated", examples: [true] }),
};

export const user = z
  .object({
    ...userFields,
    signInWallets: z.array(signInWallet).meta({ description: "The wallets that may sign in" }),
    safeWallets: z.array(safeWallet).meta({ description: "The user's Safe; empty before there is one" }),
    cards: z.array(cardSummary).meta({ description: "The user's cards, newest first" }),
    bankingDetails: bankingDetails.nullable().meta({ description: "The IBAN; null before one is requested" }),
    partnerId: text("Partner that referred the user", "sandbox"),
    status: z
      .enum(["ACTIVE", "DEACTIVATED"])
      .meta({ description: "A deactivated user can only withdraw", examples: ["ACTIVE"] }),
  })
  .meta({ id: "User", description: "The user" });

export const me = defineRoute({
  method: "GET",
  path: "/user",
  summary: "The signed-in user",
  access: "user",
  output: user,
  errors: [],
  errorStyle: "message",
  failure,
});

/** The documents that a user accepts. The provider's privacy policy is shown, but not accepted separately. */
export const acceptableTerms = ["general-tos", "card-PROVIDER-tos", "cashback-tos", "privacy-policy"] as const;
/** Every document, with those that are shown alone. */
export const termsTypes = [...acceptableTerms, "PROVIDER-privacy-policy"] as const;
export type TermsType = (typeof termsTypes)[number];
const termsType = z
  .enum(acceptableTerms)
  .meta({ description: "Which document, as `type` in `GET /user/terms`", examples: ["general-tos"] });
const currentVersion = z.string().meta({ description: "Its current version", examples: ["TOS_GENERAL_VERSION_1"] });
const url = z
  .string()
  .meta({ description: "Address of the document", examples: ["https://api.example.org/terms/general-tos"] });

export const listTerms = defineRoute({
  method: "GET",
  path: "/terms",
  summary: "The current terms and policies",
  access: "public",
  output: z.object({
    terms: z
      .array(
        z.object({
          type: z.enum(termsTypes).meta({ description: "Which document", examples: ["general-tos"] }),
          currentVersion,
          url,
          name: z.string().meta({ description: "Its name", examples: ["General terms of service"] }),
        }),
      )
      .meta({ description: "Every document" }),
  }),
  errors: [],
  errorStyle: "message",
  failure,
});

export const terms = defineRoute({
  method: "GET",
  path: "/user/terms",
  summary: "Which terms the user has accepted",
  access: "user",
  output: z.object({
    terms: z
      .array(
        z.object({
          type: termsType,
          currentVersion,
          accepted: z.boolean().meta({ description: "Whether the current version is accepted", examples: [true] }),
          acceptedVersion: text("The last accepted version", "TOS_GENERAL_VERSION_1"),
          acceptedAt: instant.nullable().meta({ description: "When it was accepted; null if it is not" }),
          url,
        }),
      )
      .meta({ description: "Every document" }),
  }),
  errors: [],
  errorStyle: "message",
  failure,
});

export const acceptTerms = defineRoute({
  method: "POST",
  path: "/user/terms",
  summary: "Accepts the current version of one document",
  access: "user",
  input: z.object({ terms: termsType, version: currentVersion.max(128) }),
  output: z.object({ ok: z.boolean().meta({ description: "True on success", examples: [true] }) }),
  errors: ["request.invalid", "terms.unknown"],
  errorStyle: "message",
  failure,
});
