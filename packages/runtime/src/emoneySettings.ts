/** Settings of the e-money institution. */
import { z } from "zod";

export const emoneyEnvironment = {
  EMONEY_PROVIDER: z.enum(["sandbox", "monerium"]).default("sandbox").describe("E-money institution that issues IBANs"),
  EMONEY_URL: z.url().optional().describe("Base address of the e-money institution's API"),
  EMONEY_CLIENT_ID: z.string().min(1).describe("Client id of our app at the e-money institution"),
  EMONEY_CLIENT_SECRET: z.string().min(1).describe("Client secret of our app at the e-money institution"),
  EMONEY_CALLBACK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, "must be whsec_ and at least 24 bytes in base64")
    .describe("Secret that signs the e-money institution's callbacks, whsec_ and base64"),
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

interface Environment extends z.output<z.ZodObject<typeof emoneyEnvironment>> {
  SANDBOX_PORT: number;
}

/** The settings of the institution's adapter and of the verbs that use it. */
export function readEmoney(e: Environment) {
  const isSandbox = e.EMONEY_PROVIDER === "sandbox";
  const url =
    e.EMONEY_URL ?? (isSandbox ? `http://127.0.0.1:${e.SANDBOX_PORT}/emoney/api` : "https://api.monerium.app");
  return {
    url,
    /** The page for a person's browser; the sandbox has its own. */
    consentUrl: isSandbox ? `http://localhost:${e.SANDBOX_PORT}/emoney/oauth/authorize` : `${url}/auth`,
    clientId: e.EMONEY_CLIENT_ID,
    clientSecret: e.EMONEY_CLIENT_SECRET,
    callbackSecret: e.EMONEY_CALLBACK_SECRET,
    shareClientId: e.EMONEY_SHARE_CLIENT_ID,
    returnUrl: e.EMONEY_RETURN_URL ?? null,
  };
}
