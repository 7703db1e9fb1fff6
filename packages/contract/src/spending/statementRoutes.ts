/** Routes of statements: the months of an account, and the statement of a month or of another range. */
import { z } from "zod";
import { givenDay, givenInstant } from "../core/instantOrDate.ts";
import { givenId } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";
import { listedMonth, statement, statementFormats } from "./statements.ts";

const format = z
  .enum(statementFormats)
  .optional()
  .meta({
    description: "Form of the answer on REST, before `Accept`: `json`, `csv`, `pdf`, or `camt053` (ISO 20022 XML)",
    examples: ["json"],
  });

const shared = {
  access: "user",
  scope: "statements",
  errorStyle: "error",
  failure: { style: "error", text: "Internal server error" },
  isStatement: true,
} as const;

export const get = defineRoute({
  ...shared,
  method: "GET",
  path: "/statements/{month}",
  summary: "The statement of a month, as JSON, CSV, PDF or camt.053; once the month is over it stays as it is",
  input: z.object({
    month: givenId.meta({ description: "The month, from `GET /statements`", examples: ["2026-01"] }),
    volume: z
      .codec(z.string().regex(/^[1-9][0-9]{0,5}$/, "volume must be a whole number of at least 1"), z.int(), {
        decode: Number,
        encode: String,
      })
      .optional()
      .meta({ description: "One volume of a month that has `volumes` in `GET /statements`", examples: ["1"] }),
    format,
  }),
  output: statement,
  errors: [
    "request.invalid",
    "safes.not_found",
    "statements.not_found",
    "statements.in_volumes",
    "statements.in_progress",
    "statements.too_long",
    "statements.too_many_pages",
  ],
});

const dateOrInstant = z.union([givenDay(), givenInstant()]);
/** The month behind a range needs a name too, in each time zone: months have years of four digits. */
const rangeEndMs = Date.parse("9999-11-01T00:00:00Z");
const isOfRange = (given: string): boolean => dateOrInstant.safeParse(given).success && Date.parse(given) < rangeEndMs;

const rangeDay = (field: string, description: string) =>
  z
    .string()
    .refine(isOfRange, `${field} must be an ISO 8601 date or date-time`)
    .optional()
    .meta({ description, examples: ["2026-01-31"] });

export const list = defineRoute({
  ...shared,
  method: "GET",
  path: "/statements",
  summary: "The months with statements, newest first; with `from` and `to` the statement of that range instead",
  input: z.object({
    from: rangeDay("from", "First day in the operator's time zone, or an instant: ISO 8601"),
    to: rangeDay("to", "Last day, which counts, or an instant, which does not: ISO 8601"),
    format,
  }),
  output: z
    .union([z.array(listedMonth), statement])
    .meta({ id: "StatementsAnswer", description: "The months, or with `from` and `to` the statement of that range" }),
  errors: [
    "request.invalid",
    "safes.not_found",
    "statements.invalid_range",
    "statements.in_progress",
    "statements.too_long",
    "statements.too_many_pages",
  ],
});
