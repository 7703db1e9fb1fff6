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
  BOOKS_PUBLIC: z
    .enum(["true", "false"], 'must be "true" or "false"')
    .default("true")
    .describe("Whether /books shows root and digest of each closed day to anybody: no amounts and no counts"),
};

/** When days of the books are closed, and who sees their roots. */
export const readBooks = (e: Values<typeof bookEnvironment>): BookPolicy => ({
  booksCloseHour: e.BOOKS_CLOSE_HOUR,
  areBooksPublic: e.BOOKS_PUBLIC === "true",
});
