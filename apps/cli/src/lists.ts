/** The limit of a list. */
import { z } from "zod";
import { parseBy, parseNumber } from "./parameters.ts";

const limitMax = 1_000;
const limitDefault = 50;

export const limit = {
  kind: "parsed",
  parse: parseBy(z.int().min(1).max(limitMax), parseNumber),
  default: String(limitDefault),
  placeholder: "N",
  brief: "List this many at most",
} as const;

/** A line that says that there may be more. */
export const formatMoreHint = (rows: readonly unknown[], asked: number): string =>
  rows.length < asked ? "" : `The first ${asked}; there may be more: --limit ${Math.min(asked * 2, limitMax)}\n`;
