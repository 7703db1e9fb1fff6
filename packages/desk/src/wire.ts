/** Rows as the operator's API sends them, read again by their kinds. */
import { stateTones } from "@cardkeep/contract/core/machine";
import { z } from "zod";
import type { Overview, Row } from "./noun.ts";
import type { Value } from "./value.ts";

const word = z.string().nullable();
const origin = z.enum(["stranger", "person"]).exactOptional();

const value: z.ZodType<Value> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: word, origin, hasLines: z.literal(true).exactOptional() }),
  z.object({ kind: z.literal("code"), text: word, meaning: z.string().exactOptional() }),
  z.object({ kind: z.literal("id"), id: word, noun: word }),
  z.object({ kind: z.literal("status"), word, tone: z.enum(stateTones).exactOptional() }),
  z.object({
    kind: z.literal("amount"),
    rounded: z.string(),
    exact: z.string(),
    name: z.string().exactOptional(),
    number: z.string().exactOptional(),
  }),
  z.object({ kind: z.literal("instant"), at: z.coerce.date().nullable(), by: word.exactOptional() }),
  z.object({ kind: z.literal("count"), count: z.coerce.bigint().nullable() }),
]);

/** One row with its values: the answer to `?view=values`. */
export const wireRow: z.ZodType<Row> = z.object({
  key: z.string(),
  data: z.unknown(),
  cells: z.array(value),
  fields: z.array(z.tuple([z.string(), z.array(value)])).default([]),
  // The server refuses what a row does not offer.
  offers: z.record(z.string(), z.never()).default({}),
});

/** The overview of a noun: the answer to `?view=values`. */
export const wireOverview: z.ZodType<Overview> = z.object({
  data: z.unknown(),
  tables: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      lead: z.string().exactOptional(),
      none: z.string(),
      columns: z.array(z.string()),
      rows: z.array(z.array(value)),
    }),
  ),
});

export const wirePage = z.object({ rows: z.array(wireRow), next: word });
