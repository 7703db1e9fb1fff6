/** Helpers for tests of cards: people who may have them, and the encryption of their clients. */
import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from "node:crypto";
import { completePerson } from "./completePerson.ts";
import { order } from "./orders.ts";
import type { Person } from "./person.ts";
import { until } from "./poll.ts";

/** An account holder who meets every requirement for a card, and has none yet. */
export async function becomeEligible(person: Person, applicant: Record<string, string> = {}): Promise<Person> {
  await person.becomeAccountHolder(applicant);
  return completePerson(person);
}

/** A virtual card's id; repeated if a busy machine exceeded the time limit of the request. */
export async function createVirtual(person: Person): Promise<string> {
  const key = { "Idempotency-Key": crypto.randomUUID() };
  let { status, body } = await person.call("POST", "/cards/virtual", undefined, key);
  if (status === 503) {
    await until(async () => {
      ({ status, body } = await person.call("POST", "/cards/virtual", undefined, key));
      return status !== 503 && status !== 409;
    });
  }
  if (status !== 201) throw new Error(`cards/virtual: ${status} ${JSON.stringify(body)}`);
  return body.cardId;
}

/** The id of a ready order: a free one. */
export async function readyOrder(person: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const orderId = await order(person, fields);
  await person.call("POST", `/order/${orderId}/attach-coupon`, { couponCode: "FREECARD" });
  await person.call("PUT", `/order/${orderId}/confirm-payment`);
  return orderId;
}

/** The card of an order, as the list shows it. */
export async function createPhysical(person: Person, body: Record<string, unknown> = {}) {
  const orderId = await readyOrder(person);
  const created = await person.call("POST", `/order/${orderId}/create-card`, body);
  if (created.status !== 200) throw new Error(`create-card: ${created.status} ${JSON.stringify(created.body)}`);
  const { body: cards } = await person.call("GET", "/cards");
  return (cards as { id: string; cardToken: string }[]).find(({ cardToken }) => cardToken === created.body.cardToken);
}

/** Encrypts a text like the published web client. */
export function seal(publicKey: string, text: string) {
  const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  const session = randomBytes(32);
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", session, iv);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  const sealedKey = publicEncrypt(
    { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" },
    Buffer.from(session.toString("base64"), "utf8"),
  );
  return {
    encryptedKey: sealedKey.toString("base64"),
    encrypted: ciphertext.toString("base64"),
    iv: iv.toString("base64"),
  };
}
