/** Settings of the identity provider. */
import { z } from "zod";
import type { KycPolicy } from "@cardkeep/domain/core/policy";
import { replaceable, type Values, wholeNumber } from "./types.ts";

export const kycEnvironment = {
  KYC_PROVIDER: z.enum(["sandbox", "sumsub"]).default("sandbox").describe("Identity provider"),
  KYC_URL: z.url().optional().describe("Base address of the identity provider's API"),
  KYC_APP_TOKEN: z.string().min(1).describe("App token at the identity provider"),
  KYC_APP_SECRET: z.string().min(1).describe("App secret at the identity provider"),
  KYC_CALLBACK_SECRET: replaceable(z.string())
    .optional()
    .describe("Secret that signs the identity provider's callbacks; several, comma separated, while it is replaced"),
  KYC_SHARE_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe("Client id for shared verified files at the identity provider when a request names none"),
  KYC_LEVEL: z
    .string()
    .default("basic-kyc-level")
    .describe("Verification level. A verdict of another level is no verification"),
  KYC_RECHECK_DAYS: wholeNumber(1, 1, "The identity provider is asked about each person again within this many days"),
  KYC_AGE_MIN: wholeNumber(
    18,
    0,
    "Years of age below which no person is approved, also where the identity provider approves. A birth date is always required",
  ),
};

/** The settings of the provider's adapter. */
export const readKyc = (e: Values<typeof kycEnvironment>, { sandboxUrl }: { sandboxUrl: string }) => ({
  url: e.KYC_URL ?? (e.KYC_PROVIDER === "sandbox" ? sandboxUrl : "https://api.sumsub.com"),
  appToken: e.KYC_APP_TOKEN,
  appSecret: e.KYC_APP_SECRET,
  /** Empty in every process except the server. */
  callbackSecrets: e.KYC_CALLBACK_SECRET ?? [],
  levelName: e.KYC_LEVEL,
});

export const readKycRules = (e: Values<typeof kycEnvironment>): KycPolicy => ({
  kycShareClientId: e.KYC_SHARE_CLIENT_ID ?? (e.KYC_PROVIDER === "sandbox" ? "sandbox-partner" : null),
  kycRecheckDays: e.KYC_RECHECK_DAYS,
  kycAgeMin: e.KYC_AGE_MIN,
});
