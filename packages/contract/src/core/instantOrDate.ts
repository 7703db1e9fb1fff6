/** Instants and days that others write: ISO 8601, within what a database keeps. */
import { dayMs } from "./durations.ts";
import { z } from "zod";

/** What Postgres and ISO 8601 both can write, in ms since 1970. An offset leads out of the years of four digits. */
const [firstMs, lastMs] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];
const isKept = (text: string): boolean => Date.parse(text) >= firstMs && Date.parse(text) <= lastMs;

/** The text of a day in the calendar. */
export const givenDay = (error?: string) => z.iso.date(error).refine(isKept, error);

/** The text of an instant with its offset. */
export const givenInstant = (error?: string) => z.iso.datetime({ offset: true, error }).refine(isKept, error);

const dateOrInstant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const isDateOrInstant = (text: string): boolean => dateOrInstant.safeParse(text).success && Date.parse(text) >= firstMs;

/** An instant, or a date for the start of its day in UTC; `daysLater` days after it. */
export const instantOrDate = (field: string, description: string, daysLater: 0 | 1) => {
  const error = `${field} must be an ISO 8601 date or date-time`;
  return z
    .codec(z.string(error).refine(isDateOrInstant, error), z.date(), {
      decode: (text) => new Date(Math.min(lastMs, Date.parse(text) + (text.includes("T") ? 0 : daysLater * dayMs))),
      encode: (value) => value.toISOString(),
    })
    .optional()
    .meta({ description, examples: ["2026-01-31T00:00:00.000Z"] });
};

/** What changed at an instant or later; `example` says what that may be. */
export const updatedSince = (example: string) =>
  instantOrDate("updatedSince", `Changed at this instant or later, ${example}: ISO 8601`, 0);
