import { describe, expect, test } from "bun:test";
import {
  address,
  hex,
  instant,
  positiveTokenAmount,
  signatureWith,
  tokenAmount,
  transactionHash,
} from "@cardkeep/contract/core/primitives";
import fc from "fast-check";
import { getAddress } from "viem";
import { z } from "zod";

const uint256Max = 2n ** 256n - 1n;
const amount = positiveTokenAmount("amount must be a valid integer");
const hexOf = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });

describe("token amounts", () => {
  test("every uint256 except zero passes the wire unchanged", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, uint256Max), (value) => {
        expect(z.decode(amount, z.encode(amount, value))).toBe(value);
        expect(z.decode(tokenAmount, z.encode(tokenAmount, value))).toBe(value);
      }),
    );
  });

  test("only plain decimal digits are an amount", () => {
    for (const text of ["0", "01", "007"]) expect([text, amount.safeParse(text).success]).toEqual([text, false]);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(amount.safeParse(text).success).toBe(/^[1-9][0-9]*$/.test(text));
      }),
    );
  });

  test("zero and numbers above a uint256 are refused", () => {
    for (const value of [0n, uint256Max + 1n, 10n ** 78n])
      expect(amount.safeParse(value.toString()).success).toBe(false);
  });
});

describe("hex", () => {
  test("input has any letter case, the prefix too, and output lower case", () => {
    fc.assert(
      fc.property(hexOf(64), fc.constantFrom("0x", "0X"), fc.boolean(), (digits, prefix, upper) => {
        const text = `${prefix}${upper ? digits.toUpperCase() : digits}` as `0x${string}`;
        for (const codec of [hex, transactionHash, signatureWith()]) {
          expect(z.decode(codec, text)).toBe(`0x${digits}`);
        }
      }),
    );
  });

  test("half a byte, another letter, a missing prefix and an empty signature are refused", () => {
    for (const text of ["", "0x1", "0xgg", "1234", "0x12 ", " 0x12"]) expect(hex.safeParse(text).success).toBe(false);
    expect(hex.safeParse("0x").success).toBe(true);
    expect(signatureWith().safeParse("0x").success).toBe(false);
  });
});

describe("addresses", () => {
  test("input has any letter case, output is EIP-55", () => {
    fc.assert(
      fc.property(hexOf(40), fc.boolean(), (digits, upper) => {
        const text = `0x${upper ? digits.toUpperCase() : digits}` as const;
        expect(z.decode(address, text)).toBe(getAddress(`0x${digits}`));
      }),
    );
  });

  test("every other length, prefix or letter is refused", () => {
    fc.assert(
      fc.property(fc.oneof(hexOf(39), hexOf(41), fc.string({ minLength: 40, maxLength: 40 })), (text) => {
        fc.pre(!/^[0-9a-fA-F]{40}$/.test(text));
        expect(address.safeParse(`0x${text}`).success).toBe(false);
        expect(address.safeParse(text).success).toBe(false);
      }),
    );
  });
});

test("an instant keeps its millisecond on the wire", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("2999-01-01"), noInvalidDate: true }), (date) => {
      expect(z.decode(instant, z.encode(instant, date))).toEqual(date);
    }),
  );
});
