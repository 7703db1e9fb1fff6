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
  brief: `List this many at most, up to ${limitMax}`,
} as const;

/** A line that says that there may be more, and how to see them. */
export function formatMoreHint(rows: readonly unknown[], asked: number): string {
  if (rows.length < asked) return "";
  if (asked === limitMax)
    return `The first ${asked}, the most that a list shows; there may be more: choose a narrower filter\n`;
  return `The first ${asked}; there may be more: --limit ${Math.min(asked * 2, limitMax)}\n`;
}
