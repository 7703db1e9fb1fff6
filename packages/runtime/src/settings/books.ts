/** Settings of the firm's books. */
import type { BookPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import type { Values } from "./types.ts";

const hourDefault = 3;
const hourMax = 23;

export const bookEnvironment = {
  BOOKS_CLOSE_HOUR: z.coerce
    .number<string>()
    .int()
    .min(0)
    .max(hourMax)
    .default(hourDefault)
    .describe("Hour in STATEMENT_TIME_ZONE from which a worker closes the books of the day before"),
};

/** When days of the books are closed. */
export const readBooks = (e: Values<typeof bookEnvironment>): BookPolicy => ({
  booksCloseHour: e.BOOKS_CLOSE_HOUR,
});
