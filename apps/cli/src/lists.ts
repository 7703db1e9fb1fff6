/** What every list takes. */
import { z } from "zod";

const limitMax = 1_000;
const limitDefault = 50;

export const limitFlag = {
  kind: "number",
  value: "N",
  summary: `How many at most, ${limitDefault} unless given`,
} as const;

export const limit = z.int().min(1).max(limitMax).default(limitDefault);

/** A line that says that there may be more. */
export const formatMoreHint = (rows: readonly unknown[], asked: number): string =>
  rows.length < asked ? "" : `The first ${asked}; there may be more: --limit ${Math.min(asked * 2, limitMax)}\n`;
