/** Settings of sign-in, of one-time passwords and of addresses in replies. */
import type { AccessRules } from "@cardkeep/domain/rules";
import { z } from "zod";
import { list, type Values } from "./types.ts";

export const accessEnvironment = {
  TERMS_URL: z.url().optional().describe("Address of the published /terms documents; unset: below PUBLIC_URL"),
  SIGN_IN_DOMAINS: list.default([]).describe("Sign-in domains in addition to the partners', comma separated"),
  TRANSACTION_DATA_FORMAT: z.enum(["hex", "json"]).default("hex").describe("Form of transactionData in lists"),
  CODE_PEPPER: z.string().min(16).describe("Secret that protects stored codes from offline guessing"),
};

export const readAccess = (
  e: Values<typeof accessEnvironment>,
  { production, publicUrl }: { production: boolean; publicUrl: string },
): AccessRules => ({
  publicUrl,
  termsUrl: e.TERMS_URL ?? `${publicUrl}/terms`,
  localhostSignIn: !production,
  testCallbacks: !production,
  signInDomains: e.SIGN_IN_DOMAINS,
  transactionDataFormat: e.TRANSACTION_DATA_FORMAT,
  codePepper: e.CODE_PEPPER,
});
