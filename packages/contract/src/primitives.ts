/**
 * Words of the wire, shared by every route.
 *
 * - address: an EVM account, EIP-55 text inside and in every answer, any letter case on the way in.
 * - token amount: a `bigint` in the token's base units inside, a decimal string on the wire.
 * - instant: a `Date` inside, an ISO 8601 UTC string on the wire.
 * - cents: a `bigint` of hundredths inside, a number of whole units on the wire.
 */
import { getAddress } from "viem";
import { z } from "zod";

export type Hex = `0x${string}`;
export type Address = `0x${string}`;

/** The address that stands for the chain's native token wherever a token address is asked for. */
export const nativeToken: Address = "0x0000000000000000000000000000000000000000";

/** The largest value of a Solidity `uint256`; an amount above it can never be on chain. */
const uint256Max = (1n << 256n) - 1n;
const uint256DigitsMax = 78;

const isHex = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value);

// What matches the pattern is an address, which the string's own type cannot say; clients sign what they are given.
const addressText = (message: string): z.ZodType<Address, Address> =>
  z.string(message).regex(/^0x[a-fA-F0-9]{40}$/, message) as z.ZodType<string> as z.ZodType<Address, Address>;

/** Address codec with a route's own text for a malformed one: wire in any letter case, inside and out EIP-55. */
export const addressWith = (message: string) =>
  z.codec(addressText(message), z.custom<Address>(isHex), {
    decode: (text) => getAddress(text.toLowerCase()),
    encode: (value) => value,
  });

/**
 * An id in a path: whatever its form, an unknown one is not found. No id of ours has a null character or an unpaired
 * surrogate, and the database cannot look for one.
 */
export const givenId = z.codec(z.string(), z.string(), {
  decode: (text) => text.toWellFormed().replaceAll("\0", "\ufffd"),
  encode: (text) => text,
});

export const address = addressWith("Invalid address format").meta({
  description: "EVM address: EIP-55 checksummed in answers, any letter case in requests",
  examples: ["0xcB444e90D8198415266c6a2724b7900fb12FC56E"],
});

/** Hex of any length, `0x` included, kept as it came. */
export const hex = z
  .custom<Hex>((value) => isHex(value) && value.length % 2 === 0)
  .meta({
    type: "string",
    pattern: "^0x([0-9a-fA-F]{2})*$",
    description: "Bytes as 0x-prefixed hex",
  });

/** Token amount in base units, zero allowed: `bigint` inside, decimal string on the wire. */
export const tokenAmount = z
  .codec(z.string().regex(/^(0|[1-9][0-9]*)$/), z.bigint().min(0n), {
    decode: (text) => BigInt(text),
    encode: (value) => value.toString(),
  })
  .meta({ description: "Amount in the token's base units", examples: ["1000000000000000000"] });

/** Token amount in base units that is at least 1 and fits a `uint256`; `message` is the text for everything else. */
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

/** Opaque identifier; clients must not read anything into its form. */
export const id = z.string().min(1).max(128);

/** The hash of a transaction: lower case inside and out, any letter case on the way in. */
export const transactionHash = z
  .codec(
    z.string("Invalid transaction hash").regex(/^0x[0-9a-fA-F]{64}$/, "Invalid transaction hash"),
    z.custom<Hex>(isHex),
    {
      decode: (text): Hex => `0x${text.slice(2).toLowerCase()}`,
      encode: (value) => value,
    },
  )
  .meta({ description: "Transaction hash" });

/** Money in a currency of two decimals: `bigint` cents inside, a number of whole units on the wire. */
export const cents = z
  .codec(z.number(), z.bigint(), {
    decode: (amount) => BigInt(Math.round(amount * 100)),
    encode: (value) => Number(value) / 100,
  })
  .meta({ description: "Amount in EUR", examples: [30.23] });

/** A line of text: no line breaks and no other control characters, blanks around it taken off. */
export const line = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax)
    .refine((text) => !/\p{Cc}/u.test(text));
