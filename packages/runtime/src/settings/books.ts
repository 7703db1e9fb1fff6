/** Settings of the firm's books. */
import type { BookPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import type { Values } from "./types.ts";

const hourDefault = 3;
const hourMax = 23;
const percentMax = 100;
const basisPoints = 100;

export const bookEnvironment = {
  BOOKS_CLOSE_HOUR: z.coerce
    .number<string>()
    .int()
    .min(0)
    .max(hourMax)
    .default(hourDefault)
    .describe("Hour in STATEMENT_TIME_ZONE from which a worker closes the books of the day before"),
  ORDER_VAT_PERCENT: z.coerce
    .number<string>()
    .min(0)
    .max(percentMax)
    .default(0)
    .describe(
      "Value added tax in the price of a card order, in per cent. A change counts for what is booked from then on",
    ),
};

/** When days of the books are closed, and the tax of orders. */
export const readBooks = (e: Values<typeof bookEnvironment>): BookPolicy => ({
  booksCloseHour: e.BOOKS_CLOSE_HOUR,
  orderVatBasisPoints: BigInt(Math.round(e.ORDER_VAT_PERCENT * basisPoints)),
});
