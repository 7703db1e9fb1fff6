/**
 * Envelopes that clients encrypt for the worker alone: a card's number, or its new PIN.
 *
 * - envelope: a text under AES-256-GCM, and the key to it under our RSA key, as the published web client makes them.
 */
import { fail } from "@cardkeep/contract/core/errors";
import { findPublishedKey, upsertPublishedKey } from "@cardkeep/db/queries/cards/envelopes";
import { findUser } from "@cardkeep/db/queries/users/users";
import { constants, createDecipheriv, createPublicKey, type KeyObject, privateDecrypt } from "node:crypto";
import type { UserContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";

export interface SealedText {
  /** RSA-OAEP with SHA-1 over the base64 text of the AES key, in base64. */
  encryptedKey: string;
  /** Ciphertext and tag in base64. */
  encryptedData: string;
  /** The nonce in base64. */
  iv: string;
}

const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** The text in an envelope for any of the keys; null where it cannot be opened, for any reason. */
export function openEnvelope(keys: readonly KeyObject[], envelope: SealedText): string | null {
  for (const key of keys) {
    const text = openWith(key, envelope);
    if (text !== null) return text;
  }
  return null;
}

function openWith(key: KeyObject, { encryptedKey, encryptedData, iv }: SealedText): string | null {
  try {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const keyText = privateDecrypt({ key, padding, oaepHash: "sha1" }, Buffer.from(encryptedKey, "base64"));
    const aesKey = Buffer.from(keyText.toString("utf8"), "base64");
    const nonce = Buffer.from(iv, "base64");
    const data = Buffer.from(encryptedData, "base64");
    if (aesKey.length !== keyBytes || nonce.length !== ivBytes || data.length <= tagBytes) return null;
    const decipher = createDecipheriv("aes-256-gcm", aesKey, nonce).setAuthTag(data.subarray(-tagBytes));
    return Buffer.concat([decipher.update(data.subarray(0, -tagBytes)), decipher.final()]).toString("utf8");
  } catch {
    // The reason is kept back: an attacker with many tries could learn the key from it.
    return null;
  }
}

const keyName = "cards";

/** The public key, SPKI DER in base64. @throws cards.country_missing, server.unavailable until a worker published it */
export async function getCardKey(ctx: UserContext): Promise<{ publicKey: string }> {
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.token_invalid");
  if (!user.country) fail("cards.country_missing");
  return { publicKey: (await findPublishedKey(ctx.db, keyName)) ?? fail("server.unavailable") };
}

/** Publishes the public half of the worker's first key. @throws Error without keys */
export async function publishCardKey(
  { db, clock }: Pick<Services, "db" | "clock">,
  [cardKey]: readonly KeyObject[],
): Promise<void> {
  if (cardKey === undefined) throw new Error("A key for cards is needed");
  const spki = createPublicKey(cardKey).export({ format: "der", type: "spki" });
  await upsertPublishedKey(db, { name: keyName, publicKey: spki.toString("base64"), updatedAt: await clock.now(db) });
}
