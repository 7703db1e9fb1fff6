/** Settings of sign-in, of one-time passwords and of addresses in replies. */
import type { AccessPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import { list, replaceable, type Values } from "./types.ts";

export const accessEnvironment = {
  TERMS_URL: z.url().optional().describe("Address of the published /terms documents; unset: below PUBLIC_URL"),
  SIGN_IN_DOMAINS: list.default([]).describe("Sign-in domains in addition to the partners', comma separated"),
  TRANSACTION_DATA_FORMAT: z.enum(["hex", "json"]).default("hex").describe("Form of transactionData in lists"),
  CODE_PEPPER: replaceable(z.string().min(16))
    .optional()
    .describe(
      "Secret that protects stored codes from offline guessing; several, comma separated, while it is replaced: the first " +
        "protects new codes",
    ),
};

export const readAccess = (
  e: Values<typeof accessEnvironment>,
  { production, publicUrl }: { production: boolean; publicUrl: string },
): AccessPolicy => ({
  publicUrl,
  termsUrl: e.TERMS_URL ?? `${publicUrl}/terms`,
  localhostSignIn: !production,
  testCallbacks: !production,
  mintedPayments: !production,
  signInDomains: e.SIGN_IN_DOMAINS,
  transactionDataFormat: e.TRANSACTION_DATA_FORMAT,
  codePeppers: e.CODE_PEPPER ?? [],
});
