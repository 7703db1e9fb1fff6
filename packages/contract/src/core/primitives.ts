/**
 * Wire types that every route shares.
 *
 * - address: an EVM account. EIP-55 text inside and in every answer; requests may use any letter case.
 * - hex: bytes. Lower case inside and in every answer; requests may use any letter case.
 * - token amount: a `bigint` in the token's base units inside, a decimal string on the wire.
 * - instant: a `Date` inside, an ISO 8601 UTC string on the wire.
 * - cents: a `bigint` of hundredths inside, a number of whole units on the wire.
 */
import { getAddress } from "viem";
import { z } from "zod";

export type Hex = `0x${string}`;
export type Address = `0x${string}`;

/** The address of the chain's native token in fields for a token address. */
export const nativeToken: Address = "0x0000000000000000000000000000000000000000";

/** Decimals of the native token. */
export const nativeDecimals = 18;

/** The largest value of a Solidity `uint256`; no amount on chain is larger. */
const uint256Max = (1n << 256n) - 1n;
const uint256DigitsMax = 78;

/** ERC-1271 and ERC-6492 signatures of contract wallets hold calldata; the wallets in use need a few hundred bytes. */
const signatureLengthMax = 16_384;
/** An example of a key's signature. */
export const exampleSignature = `0x${"51".repeat(64)}1b`;

const isHex = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value);

/** A text for a malformed value. A missing one has the general text of missing fields. */
export const unlessMissing =
  (message: string) =>
  ({ input }: { input?: unknown }): string | undefined =>
    input === undefined ? undefined : message;

// A text that matches the pattern is an address, but its type is string. Clients sign it unchanged.
const addressText = (message: string, isForMissing: boolean): z.ZodType<Address, Address> =>
  z
    .string({ error: isForMissing ? message : unlessMissing(message) })
    .regex(/^0x[a-fA-F0-9]{40}$/, message) as z.ZodType<string> as z.ZodType<Address, Address>;

/**
 * Address codec with a route's own text for a malformed one: wire in any letter case, inside and out EIP-55. With
 * `isForMissing` the text is that of a missing one too.
 */
export const addressWith = (message: string, { isForMissing = false } = {}) =>
  z.codec(addressText(message, isForMissing), z.custom<Address>(isHex), {
    decode: (text) => getAddress(text.toLowerCase()),
    encode: (value) => value,
  });

/** One letter case has no checksum. Source: EIP-55. */
const hasRightChecksum = (text: string): boolean =>
  /^0x([0-9a-f]*|[0-9A-F]*)$/.test(text) || getAddress(text.toLowerCase()) === text;

/** An address that an operator typed. A wrong checksum is refused: it means a mistyped character. Inside EIP-55. */
export const typedAddress = z
  .string()
  .regex(/^0x[a-fA-F0-9]{40}$/, "must be a 0x-prefixed address")
  .refine(hasRightChecksum, "has a wrong checksum (EIP-55), so a character is mistyped")
  .transform((text): Address => getAddress(text.toLowerCase()));

/**
 * An id in a path. An unknown id is not found, in any form. Our ids never contain a null character or an unpaired
 * surrogate, and the database cannot search for one.
 */
export const givenId = z
  .codec(z.string(), z.string(), {
    decode: (text) => text.toWellFormed().replaceAll("\0", "\ufffd"),
    encode: (text) => text,
  })
  .meta({ description: "Identifier", examples: ["5c1f0e2a-9d3b-4f6e-8a7c-1b2d3e4f5a6b"] });

export const address = addressWith("Invalid address format").meta({
  description: "EVM address: EIP-55 checksummed in answers, any letter case in requests",
  examples: ["0xcB444e90D8198415266c6a2724b7900fb12FC56E"],
});

// A text that matches the pattern is hex, but its type is string.
const hexText = (pattern: RegExp, message?: string): z.ZodType<Hex, Hex> =>
  z
    .string(message === undefined ? undefined : { error: unlessMissing(message) })
    .regex(pattern, message) as z.ZodType<string> as z.ZodType<Hex, Hex>;

/** The codec of bytes on the wire: requests in any letter case, also `0X`; answers in lower case. */
const hexWith = (pattern: RegExp, message?: string) =>
  z.codec(hexText(pattern, message), z.custom<Hex>(isHex), {
    decode: (text): Hex => `0x${text.slice(2).toLowerCase()}`,
    encode: (value) => value,
  });

/** Bytes of any length, `0x` included: lower case inside, any letter case in requests. */
export const hex = hexWith(/^0[xX]([0-9a-fA-F]{2})*$/).meta({
  description: "Bytes as 0x-prefixed hex, in any letter case",
  examples: ["0x1234abcd"],
});

/** Token amount in base units, zero allowed: `bigint` inside, decimal string on the wire. */
export const tokenAmount = z
  .codec(z.string().regex(/^(0|[1-9][0-9]*)$/), z.bigint().min(0n), {
    decode: (text) => BigInt(text),
    encode: (value) => value.toString(),
  })
  .meta({ description: "Amount in the token's base units", examples: ["1000000000000000000"] });

/** Token amount in base units, at least 1 and at most a `uint256`; `message` is the text for every other value. */
export const positiveTokenAmount = (message: string) =>
  z
    .codec(
      z
        .string(message)
        .max(uint256DigitsMax, message)
        .regex(/^[1-9][0-9]*$/, message),
      z.bigint().min(1n, message).max(uint256Max, message),
      { decode: (text) => BigInt(text), encode: (value) => value.toString() },
    )
    .meta({ description: "Amount in the token's base units, at least 1", examples: ["1000000"] });

/** Instant: `Date` inside, ISO 8601 UTC string with milliseconds on the wire. */
export const instant = z
  .codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: (value) => value.toISOString() })
  .meta({ format: "date-time", description: "ISO 8601 instant, UTC", examples: ["2026-01-01T10:00:00.000Z"] });

/** Opaque identifier; clients must not interpret it. */
export const id = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: "Opaque identifier", examples: ["5c1f0e2a-9d3b-4f6e-8a7c-1b2d3e4f5a6b"] });

/** A field that the wire omits without a value: null inside, absent outside. */
export const omitNull = <S extends z.ZodType>(schema: S) =>
  z.codec(schema.optional(), z.custom<z.output<S> | null>(), {
    decode: (value) => value ?? null,
    encode: (value) => value ?? undefined,
  });

/** The hash of a transaction: lower case inside and out, any letter case on the way in. */
export const transactionHash = hexWith(/^0[xX][0-9a-fA-F]{64}$/, "Invalid transaction hash").meta({
  description: "Transaction hash, 32 bytes of hex",
  examples: ["0x8e1b9c6a5d4f3e2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a"],
});

/** A wallet's signature, 1 byte to 8 KiB: 65 bytes of a key, any length of a contract wallet. */
export const signatureWith = (message?: string) =>
  hex
    .refine((value) => value.length > 2 && value.length <= signatureLengthMax, message)
    .meta({ description: "Wallet signature, 0x-prefixed hex in any letter case", examples: [exampleSignature] });

/** Money in a currency of two decimals: `bigint` cents inside, a number of whole units on the wire. */
export const cents = z
  .codec(z.number(), z.bigint(), {
    decode: (amount) => BigInt(Math.round(amount * 100)),
    encode: (value) => Number(value) / 100,
  })
  .meta({ description: "Amount in EUR", examples: [30.23] });

/** The codec of an amount in minor units of its currency: a decimal string on the wire. */
export const minorAmount = z
  .codec(z.string().regex(/^(0|[1-9][0-9]*)$/), z.bigint().min(0n), {
    decode: (text) => BigInt(text),
    encode: (value) => value.toString(),
  })
  .meta({ description: "Amount in the currency's minor units", examples: ["2550"] });

/** A line of text: no line breaks or other control characters, without blanks at both ends. */
export const line = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax)
    .refine((text) => !/\p{Cc}/u.test(text));

/** Description of the `data` that wraps answers of older routes. */
export const result = { description: "The answer" } as const;

/** A whole number from `min` on, of up to 15 digits: decimal text in paths and queries, or a number. `field` names it in errors. */
export const wholeNumber = (field: string, min: number) => {
  const message = `${field} must be a whole number of at least ${min}`;
  const number = z.int(message).min(min, message);
  return z.codec(z.union([z.string(message).regex(/^[0-9]{1,15}$/, message), number], message), number, {
    decode: Number,
    encode: String,
  });
};
