/** Card numbers and PINs that a client encrypts, and the key for it. */
import { z } from "zod";
import { cards } from "./cardRoutes.ts";
import { id } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

/** Far above the length that a 4096-bit key produces. */
const encryptedLengthMax = 2_048;
export const encrypted = (description: string, example = "q83vEjRWeJCrze8SNFZ4kA==") =>
  z
    .string()
    .min(1)
    .max(encryptedLengthMax)
    .meta({ description, examples: [example] });

/** Fields that a client encrypts for the worker alone. */
export const envelopeFields = {
  encryptedKey: encrypted(
    "RSA-OAEP (SHA-1) over the UTF-8 bytes of the base64 text of a random 32-byte key, in base64; the public key is at /user/card-public-key",
  ),
  iv: encrypted("The 12 bytes of the AES-GCM nonce, as 16 characters of base64", "Y2Fya2tlZXAtaXYx"),
};

export const verify = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/verify",
  summary: "Finds the user's physical card by its number, which is sent encrypted and not stored",
  input: z.object({
    encryptedPan: encrypted("AES-256-GCM ciphertext and tag of the card number's digits, in base64"),
    ...envelopeFields,
  }),
  output: z.object({ cardId: id.meta({ description: "The physical card's id" }) }),
  errors: [
    "request.malformed",
    "cards.unreadable",
    "cards.check_digit",
    "cards.not_found",
    "cards.void",
    "cards.issuer_unavailable",
  ],
  deprecated: { successor: "/cards" },
  failure: { style: "message", text: "Internal server error" },
});

export const publicKey = defineRoute({
  ...cards,
  method: "GET",
  path: "/user/card-public-key",
  summary: "The key with which clients encrypt card numbers and PINs: RSA, SPKI DER in base64",
  output: z.object({
    publicKey: z
      .string()
      .meta({ description: "RSA public key, SPKI DER in base64", examples: ["MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A"] }),
  }),
  errors: ["cards.country_missing"],
  deprecated: { successor: "/cards" },
  failure: { style: "message", text: "Internal server error" },
});
