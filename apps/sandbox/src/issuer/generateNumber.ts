/** Numbers of test cards. */
import { randomInt } from "node:crypto";

/** A range of the networks' test numbers. Real cards never use it. */
const prefix = "400000";
const randomDigits = 9;

/** A number of 16 digits that passes the Luhn check. Source: ISO/IEC 7812-1. */
export function generateNumber(): string {
  const body = prefix + String(randomInt(10 ** randomDigits)).padStart(randomDigits, "0");
  return body + checkDigitOf(body);
}

function checkDigitOf(body: string): string {
  const sum = [...body]
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? Number(digit) * 2 : Number(digit)))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return String((10 - (sum % 10)) % 10);
}

/** A random text of this many digits. */
export const generateDigits = (length: number): string => String(randomInt(10 ** length)).padStart(length, "0");
