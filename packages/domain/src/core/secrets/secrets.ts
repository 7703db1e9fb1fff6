/**
 * Secrets at rest: compact JWE (RFC 7516) with `dir` and `A256GCM`.
 *
 * The protected header names the key (`kid`) and the owner, so a secret copied to another owner's row does not open.
 */
import { base64url, compactDecrypt, CompactEncrypt, decodeProtectedHeader } from "jose";

export interface SecretsKey {
  readonly kid: string;
  /** 32 bytes in base64url. */
  readonly k: string;
}

export interface Secrets {
  /** Encrypts a secret of a user or partner with the first key. */
  seal(ownerId: string, secret: string): Promise<string>;
  /** Decrypts a secret with the key that sealed it. @throws SecretUnreadable */
  unseal(ownerId: string, sealed: string): Promise<string>;
  /** Every secret sealed with the first key starts with this text, and no other secret does. */
  readonly currentPrefix: string;
}

/** A secret that none of the keys opens for its owner; the message says why. */
export class SecretUnreadable extends Error {
  override readonly name = "SecretUnreadable";
}

const keyManagement = "dir";
const encryption = "A256GCM";
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

// `owner` comes last: the bytes before it are the same for all secrets of one key.
const buildHeader = (kid: string, owner: string) => ({ alg: keyManagement, enc: encryption, kid, owner });

/** Every secret that the key seals starts with this text, and no other secret does. */
export function buildPrefix(kid: string): string {
  const shared = JSON.stringify(buildHeader(kid, "")).slice(0, -2);
  // Three bytes make four characters; the rest of a group would depend on the owner.
  const bytes = new TextEncoder().encode(shared);
  return base64url.encode(bytes.subarray(0, bytes.length - (bytes.length % 3)));
}

/** Seals with the first key and opens with any of them, chosen by `kid`. @throws Error without keys */
export function createSecrets(keys: readonly SecretsKey[]): Secrets {
  const [first] = keys;
  if (first === undefined) throw new Error("A key for secrets is needed");
  const keyBytes = new Map(keys.map(({ kid, k }) => [kid, base64url.decode(k)]));
  const sealingKey = base64url.decode(first.k);
  return {
    currentPrefix: buildPrefix(first.kid),
    seal: (ownerId, secret) =>
      new CompactEncrypt(new TextEncoder().encode(secret))
        .setProtectedHeader(buildHeader(first.kid, ownerId))
        .encrypt(sealingKey),
    unseal: async (ownerId, sealed) => {
      const key = findKey(keyBytes, sealed);
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, {
        keyManagementAlgorithms: [keyManagement],
        contentEncryptionAlgorithms: [encryption],
      }).catch(() => refuse(noKeyOpensIt));
      return protectedHeader["owner"] === ownerId ? textOf(plaintext) : refuse("it was sealed for another owner");
    },
  };
}

const noKeyOpensIt = "no key of SECRETS_KEYS opens it";

function findKey(keys: ReadonlyMap<string, Uint8Array>, sealed: string): Uint8Array {
  const { kid } = readHeader(sealed);
  if (kid === undefined) return refuse("it is damaged");
  return keys.get(kid) ?? refuse(`it was sealed with the key ${kid}, which is not in SECRETS_KEYS`);
}

function readHeader(sealed: string): { kid?: string } {
  try {
    return decodeProtectedHeader(sealed);
  } catch {
    return {};
  }
}

function refuse(reason: string): never {
  throw new SecretUnreadable(`The secret cannot be opened: ${reason}`);
}
