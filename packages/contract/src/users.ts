/** The user as the API tells it, and the terms a user accepts. */
import { z } from "zod";
import { cardSummary } from "./cards.ts";
import { bankingDetails } from "./ibans.ts";
import { kycStatus } from "./kyc.ts";
import { address, id, instant } from "./primitives.ts";
import { defineRoute } from "./route.ts";
import { tokenSymbol } from "./safes.ts";
import { signInWallet } from "./signInWallets.ts";

const text = z.string().nullable();

const safeWallet = z.object({
  address,
  chainId: z.string(),
  tokenSymbol: tokenSymbol.nullable(),
  createdAt: instant,
});

const failure = { style: "message", text: "Internal server error" } as const;

export const user = z.object({
  id,
  email: text,
  phone: text,
  firstName: text,
  lastName: text,
  address1: text,
  address2: text,
  city: text,
  postalCode: text,
  state: text,
  country: text.meta({ description: "ISO 3166-1 alpha-2" }),
  nationalityCountry: text.meta({ description: "ISO 3166-1 alpha-2" }),
  signInWallets: z.array(signInWallet),
  safeWallets: z.array(safeWallet),
  kycStatus,
  availableFeatures: z.object({ emoneyIban: z.boolean() }),
  cards: z.array(cardSummary),
  bankingDetails: bankingDetails.nullable(),
  isSourceOfFundsAnswered: z.boolean(),
  isPhoneValidated: z.boolean(),
  partnerId: text,
  status: z.enum(["ACTIVE", "DEACTIVATED"]),
});

export const me = defineRoute({
  method: "GET",
  path: "/user",
  summary: "The signed-in user",
  access: "user",
  output: user,
  errors: ["auth.unauthorized"],
  errorStyle: "message",
  failure,
});

/** The documents a user accepts; the provider's privacy policy is shown, never accepted by itself. */
export const acceptableTerms = ["general-tos", "card-PROVIDER-tos", "cashback-tos", "privacy-policy"] as const;
const termsType = z.enum(acceptableTerms);

export const listTerms = defineRoute({
  method: "GET",
  path: "/terms",
  summary: "The current terms and policies",
  access: "public",
  output: z.object({
    terms: z.array(
      z.object({
        type: z.enum([...acceptableTerms, "PROVIDER-privacy-policy"]),
        currentVersion: z.string(),
        url: z.string(),
        name: z.string(),
      }),
    ),
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
    terms: z.array(
      z.object({
        type: termsType,
        currentVersion: z.string(),
        accepted: z.boolean(),
        acceptedVersion: text,
        acceptedAt: instant.nullable(),
        url: z.string(),
      }),
    ),
  }),
  errors: ["auth.unauthorized"],
  errorStyle: "message",
  failure,
});

export const acceptTerms = defineRoute({
  method: "POST",
  path: "/user/terms",
  summary: "Accepts the current version of one document",
  access: "user",
  input: z.object({ terms: termsType, version: z.string().max(128) }),
  output: z.object({ ok: z.boolean() }),
  errors: ["request.invalid", "auth.unauthorized", "terms.unknown"],
  errorStyle: "message",
  failure,
});
