/** Settings of the card issuer. */
import { z } from "zod";
import { parsePrivateKey, parsePublicKey } from "./rsaKeys.ts";
import { list, readBy, replaceable, type Values } from "./types.ts";

export const issuerEnvironment = {
  CARD_ISSUER: z.enum(["sandbox", "stripe"]).default("sandbox").describe("Card issuer"),
  CARD_ISSUER_URL: z.url().optional().describe("Base address of the card issuer's API"),
  CARD_ISSUER_API_KEY: z.string().min(1).describe("API key at the card issuer"),
  CARD_ISSUER_CALLBACK_SECRETS: list
    .pipe(z.array(z.string().min(1)).min(1))
    .optional()
    .describe("Secrets that sign the card issuer's callbacks, one for each of its endpoints, comma separated"),
  CARD_ISSUER_PIN_KEY: readBy(parsePublicKey, "must be an RSA public key, SPKI in PEM or base64")
    .optional()
    .describe("Key with which the card issuer reads PINs, SPKI in PEM or base64; unset: the issuer chooses PINs"),
  CARD_ENCRYPTION_KEY: replaceable(
    readBy(parsePrivateKey, "must be an RSA private key of 2048 bits or more, PKCS #8 in PEM or base64"),
  )
    .optional()
    .describe(
      "Key that decrypts card numbers and PINs from clients, for the worker alone, PKCS #8 in PEM or base64. Several, comma " +
        "separated, while it is replaced: the public half of the first is published",
    ),
};

/** The settings of the issuer's adapter. */
export const readIssuer = (e: Values<typeof issuerEnvironment>, { sandboxUrl }: { sandboxUrl: string }) => ({
  url: e.CARD_ISSUER_URL ?? (e.CARD_ISSUER === "sandbox" ? sandboxUrl : "https://api.stripe.com"),
  apiKey: e.CARD_ISSUER_API_KEY,
  /** Empty in every process except the server. */
  callbackSecrets: e.CARD_ISSUER_CALLBACK_SECRETS ?? [],
  pinKey: e.CARD_ISSUER_PIN_KEY ?? null,
});
