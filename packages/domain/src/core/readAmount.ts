import { fromDecimal, type Token } from "@cardkeep/chain/tokens";
import type { ErrorCode } from "@cardkeep/contract/core/errorCatalogue";
import { fail } from "@cardkeep/contract/core/errors";

/** A comma before one or two digits can only stand before the cents. */
const withComma = /^(\d+),(\d{1,2})$/;

/** The text of an amount with a point before its cents. */
export const withPoint = (given: string): string => given.replace(withComma, "$1.$2");

/** Base units of an amount as operators write it: `12.50`, or `12,50`. @throws the given error for another text */
export const readAmount = (given: string, token: Pick<Token, "decimals">, code: ErrorCode): bigint =>
  fromDecimal(withPoint(given), token) ??
  fail(code, { text: "This is no amount: write it with a point before the cents, such as 12.50" });
