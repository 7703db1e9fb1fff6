import type { Address } from "@cardkeep/contract/core/primitives";
import { SiweMessage } from "siwe";
import { isAddress } from "viem";

/** The checked fields of an EIP-4361 sign-in message. */
export interface SignInMessage {
  /** Of the domain, where the message names one. */
  scheme?: string;
  domain: string;
  address: Address;
  statement?: string;
  uri: string;
  version: string;
  chainId: number;
  nonce: string;
  issuedAt: Date;
  expirationTime?: Date;
  notBefore?: Date;
}

/** Wallets write a few hundred characters. The limit protects the grammar below from huge texts. */
const textLengthMax = 8_192;

/**
 * Parses the text of a sign-in message strictly by EIP-4361: checksummed address, real instants, no other text.
 *
 * The caller checks time, domain and signature. Null for any other text; it never throws.
 */
export function parseSignInMessage(text: string): SignInMessage | null {
  if (text.length > textLengthMax) return null;
  try {
    return readFields(new SiweMessage(text));
  } catch {
    return null;
  }
}

function readFields(parsed: SiweMessage): SignInMessage | null {
  const { scheme, domain, address, statement, uri, version, chainId, nonce } = parsed;
  const issuedAt = readInstant(parsed.issuedAt);
  const expirationTime = readInstant(parsed.expirationTime);
  const notBefore = readInstant(parsed.notBefore);
  if (!isAddress(address) || !Number.isSafeInteger(chainId)) return null;
  if (!issuedAt || expirationTime === null || notBefore === null) return null;
  return {
    domain,
    address,
    uri,
    version,
    chainId,
    nonce,
    issuedAt,
    ...(scheme !== undefined && { scheme }),
    ...(statement !== undefined && { statement }),
    ...(expirationTime && { expirationTime }),
    ...(notBefore && { notBefore }),
  };
}

/** Undefined stays undefined; null for a date that the grammar permits and no calendar has. */
function readInstant(text: string | undefined): Date | undefined | null {
  if (text === undefined) return undefined;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? null : instant;
}

/** The text of a message for a wallet to sign, by EIP-4361. */
export const buildSignInMessage = (fields: {
  domain: string;
  address: Address;
  statement: string;
  uri: string;
  chainId: number;
  nonce: string;
  issuedAt: Date;
  expirationTime: Date;
  resources: readonly string[];
}): string =>
  new SiweMessage({
    ...fields,
    version: "1",
    issuedAt: fields.issuedAt.toISOString(),
    expirationTime: fields.expirationTime.toISOString(),
    resources: [...fields.resources],
  }).prepareMessage();
