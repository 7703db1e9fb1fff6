/**
 * Verifies deliveries, in Bun, in Node and in the browser.
 *
 * - own family: `X-Webhook-Signature`.
 * - Standard Webhooks: `webhook-signature`, `v1a` and `v1`.
 */
import type { EventType, EventWire } from "@cardkeep/contract/partners/events";

/**
 * A valid delivery. `data` is as in the catalogue of events, or `{userId}` if the partner asked for thin deliveries.
 */
export type VerifiedDelivery = {
  [E in EventType]: {
    /** The same for every attempt, so that the receiver can ignore repeated deliveries. */
    readonly id: string;
    /** Counts the deliveries of one user to one partner, without gaps. */
    readonly sequence: number;
    readonly timestamp: Date;
    readonly eventType: E;
    readonly data: EventWire<E>;
  };
}[EventType];

/** The delivery is invalid; the message names the reason. */
export class DeliveryRefused extends Error {
  override readonly name = "DeliveryRefused";
}

/** A key of `/api/v1/webhooks/jwks.json`. */
export interface DeliveryKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

const toleranceSecondsDefault = 300;

/**
 * Verifies a delivery in one call. Every signature that it can check must be valid, in both families.
 *
 * `publicKeys` are those of the service's JWKS, `secret` is the partner's own `whsec_…`; at least one of the two is
 * needed. `body` is the raw text of the request. A timestamp more than `toleranceSeconds` (300) from now is rejected.
 * @throws DeliveryRefused
 *
 * @example
 * import { verifyDelivery } from "@cardkeep/client";
 *
 * const answer = await fetch("http://localhost:3000/api/v1/webhooks/jwks.json");
 * const { keys } = await answer.json();
 * const { headers } = request;
 * const { id, eventType } = await verifyDelivery({ headers, body: await request.text(), publicKeys: keys });
 */
export async function verifyDelivery(input: {
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  publicKeys?: readonly DeliveryKey[];
  secret?: string;
  toleranceSeconds?: number;
  now?: Date;
}): Promise<VerifiedDelivery> {
  const { body, publicKeys = [], secret, toleranceSeconds = toleranceSecondsDefault, now = new Date() } = input;
  if (publicKeys.length === 0 && secret === undefined)
    throw new DeliveryRefused("A public key or a secret is needed to verify");
  const read = readerOf(input.headers);
  const [id, timestamp] = [read("webhook-id"), read("webhook-timestamp")];
  if (!/^\d{1,12}$/.test(timestamp) || read("x-webhook-timestamp") !== timestamp)
    throw new DeliveryRefused("The timestamps are invalid");
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new DeliveryRefused("The timestamp is too old or too new");
  const standard = encode(`${id}.${timestamp}.${body}`);
  const signatures = read("webhook-signature").split(" ");
  const ofKind = (kind: string) =>
    signatures.filter((text) => text.startsWith(`${kind},`)).map((text) => decodeBase64(text.slice(kind.length + 1)));
  if (publicKeys.length > 0) {
    const keys = await Promise.all(publicKeys.map(importKey));
    const own = [decodeBase64(read("x-webhook-signature"))];
    if (!(await isSignedByAny(keys, own, encode(`${timestamp}.${body}`))))
      throw new DeliveryRefused("X-Webhook-Signature is not valid");
    if (!(await isSignedByAny(keys, ofKind("v1a"), standard)))
      throw new DeliveryRefused("webhook-signature has no valid v1a signature");
  }
  if (secret !== undefined) {
    const key = await importSecret(secret);
    const holds = await Promise.all(
      ofKind("v1").map((signature) => crypto.subtle.verify("HMAC", key, signature, standard)),
    );
    if (!holds.includes(true)) throw new DeliveryRefused("webhook-signature has no valid v1 signature");
  }
  const { eventType, data } = parseBody(body);
  // The service signs only what it published, in the form of its own catalogue.
  const event = { eventType, data } as Pick<VerifiedDelivery, "eventType" | "data">;
  return {
    ...event,
    id,
    sequence: Number(read("webhook-sequence")),
    timestamp: new Date(Number(timestamp) * 1000),
  } as VerifiedDelivery;
}

function readerOf(headers: Parameters<typeof verifyDelivery>[0]["headers"]): (name: string) => string {
  const entries = headers instanceof Headers ? [...headers.entries()] : Object.entries(headers);
  const byName = new Map(entries.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = byName.get(name);
    if (typeof value !== "string" || value === "") throw new DeliveryRefused(`${name} is missing`);
    return value;
  };
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new DeliveryRefused("A signature is not base64");
  }
}

const importKey = ({ kty, crv, x }: DeliveryKey): Promise<CryptoKey> =>
  crypto.subtle.importKey("jwk", { kty, crv, x }, { name: "Ed25519" }, false, ["verify"]);

const importSecret = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    "raw",
    decodeBase64(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );

async function isSignedByAny(
  keys: readonly CryptoKey[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const pairs = keys.flatMap((key) => signatures.map((signature) => ({ key, signature })));
  const holds = await Promise.all(
    pairs.map(({ key, signature }) => crypto.subtle.verify("Ed25519", key, signature, content)),
  );
  return holds.includes(true);
}

function parseBody(body: string): { eventType: string; data: unknown } {
  const parsed: unknown = JSON.parse(body);
  if (typeof parsed === "object" && parsed !== null && "eventType" in parsed && "data" in parsed)
    return { eventType: String(parsed.eventType), data: parsed.data };
  throw new DeliveryRefused("The body is not an event");
}
