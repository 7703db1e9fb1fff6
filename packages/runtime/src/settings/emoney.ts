/** Settings of the e-money institution. */
import type { EmoneyPolicy } from "@cardkeep/domain/core/policy";
import { callbackSecret } from "@cardkeep/providers/emoney/callbackSecret";
import { z } from "zod";
import { replaceable, type Values } from "./types.ts";

export const emoneyEnvironment = {
  EMONEY_PROVIDER: z.enum(["sandbox", "monerium"]).default("sandbox").describe("E-money institution that issues IBANs"),
  EMONEY_URL: z.url().optional().describe("Base address of the e-money institution's API"),
  EMONEY_CLIENT_ID: z.string().min(1).describe("Client id of our app at the e-money institution"),
  EMONEY_CLIENT_SECRET: z.string().min(1).describe("Client secret of our app at the e-money institution"),
  EMONEY_CALLBACK_SECRET: replaceable(callbackSecret).describe(
    "Secret that signs the e-money institution's callbacks, whsec_ and base64; several, comma separated, while it is " +
      "replaced: the first is given to the institution",
  ),
  EMONEY_SHARE_CLIENT_ID: z
    .string()
    .min(1)
    .default("monerium")
    .describe("Client id of the e-money institution at the identity provider, which shares verified files with it"),
  EMONEY_RETURN_URL: z
    .url()
    .optional()
    .describe("Page to open after a consent if the app names none; unset: a page of the server"),
};

/** The settings of the institution's adapter and of the verbs that use it. */
export function readEmoney(e: Values<typeof emoneyEnvironment>, { sandboxPort }: { sandboxPort: number }) {
  const isSandbox = e.EMONEY_PROVIDER === "sandbox";
  const url = e.EMONEY_URL ?? (isSandbox ? `http://127.0.0.1:${sandboxPort}/emoney/api` : "https://api.monerium.app");
  return {
    url,
    /** The page for a person's browser; the sandbox has its own. */
    consentUrl: isSandbox ? `http://localhost:${sandboxPort}/emoney/oauth/authorize` : `${url}/auth`,
    clientId: e.EMONEY_CLIENT_ID,
    clientSecret: e.EMONEY_CLIENT_SECRET,
    callbackSecrets: e.EMONEY_CALLBACK_SECRET,
    shareClientId: e.EMONEY_SHARE_CLIENT_ID,
    returnUrl: e.EMONEY_RETURN_URL ?? null,
  };
}

/** What the verbs need of them. */
export const buildEmoneyRules = (
  { returnUrl, shareClientId }: ReturnType<typeof readEmoney>,
  { publicUrl }: { publicUrl: string },
): EmoneyPolicy => ({
  institutionCallbackUrl: `${publicUrl}/callbacks/monerium`,
  consentReturnUrl: `${publicUrl}/callbacks/monerium/oauth`,
  defaultCallbackUrl: returnUrl,
  shareClientId,
});
