/** The text of a token: see `packages/contract/src/users/tokens.ts` for its form. */
import { tokenPattern } from "@cardkeep/contract/users/tokens";
import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const prefix = "ck_";
const randomLength = 32;
const checksumLength = 6;

/** The checksum of a token's random part: its CRC-32 in base62, filled up with zeros in front. */
function buildChecksum(random: string): string {
  let rest = crc32(random);
  let text = "";
  for (let place = 0; place < checksumLength; place++) {
    text = digits.charAt(rest % digits.length) + text;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}

/** A new token with 190 random bits. */
export function generateToken(): string {
  const random = Array.from({ length: randomLength }, () => digits.charAt(randomInt(digits.length))).join("");
  return prefix + random + buildChecksum(random);
}

/** Whether a text has the form of a token, with the right checksum. */
export function isTokenText(text: string): boolean {
  if (!tokenPattern.test(text)) return false;
  const random = text.slice(prefix.length, prefix.length + randomLength);
  return text === prefix + random + buildChecksum(random);
}
