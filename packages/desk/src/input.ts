/** Inputs of acts: how programs write them, and how the schemas of the domain's verbs read them. */
import { fail } from "@cardkeep/contract/core/errors";
import { parseJsonText } from "@cardkeep/contract/core/text";
import type { z } from "zod";
import type { Given, Input, InputFault } from "./noun.ts";

type DescribeIssue = z.core.$ZodErrorMap;

export interface GivenInput<O> {
  /** @throws request.invalid that names the field */
  parse(key: string, given: Given): O;
  /** The first fault, in the words of `describe`; null without one. */
  check(key: string, given: Given, describe?: DescribeIssue): InputFault | null;
}

/** A value by a schema. @throws request.invalid that names the field */
export function parseGiven<O, I>(schema: z.ZodType<O, I>, given: unknown): O {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return fail("request.invalid", {
    text: `Invalid value for ${issue?.path.join(".") || "the input"}: ${issue?.message}`,
  });
}

/**
 * Reads inputs by a schema, from the values that `collect` makes of the words; one without a value is left out. `inputNames` has the
 * inputs that are not called as their field.
 */
export function readBySchema<O, I>(
  schema: z.ZodType<O, I>,
  collect: (key: string, given: Given) => Readonly<Record<string, unknown>>,
  inputNames: Readonly<Record<string, string>> = {},
): GivenInput<O> {
  const collectGiven = (key: string, given: Given) =>
    Object.fromEntries(Object.entries(collect(key, given)).filter(([, value]) => value !== undefined && value !== ""));
  return {
    parse: (key, given) => parseGiven(schema, collectGiven(key, given)),
    check: (key, given, describe) => {
      const parsed = schema.safeParse(collectGiven(key, given), describe && { error: describe });
      const [issue] = parsed.error?.issues ?? [];
      const field = String(issue?.path[0] ?? "");
      return issue === undefined ? null : { field: inputNames[field] ?? field, message: issue.message };
    },
  };
}

/** A number, where the word is one: the schema refuses other words. */
export const readNumber = (word: string | undefined): unknown =>
  word !== undefined && /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : word;

const separator = ",";

/** The words of a list; none for an empty one. */
export const splitList = (given: string | undefined): string[] | undefined =>
  given === undefined || given.trim() === "" ? undefined : given.split(separator).map((word) => word.trim());

/** An input that is a JSON document. @throws request.invalid */
export function readDocument(name: string, given: string | undefined): unknown {
  try {
    return parseJsonText(given ?? "");
  } catch {
    return fail("request.invalid", { text: `The ${name} is no JSON` });
  }
}

/** A value of a program as the word of an input; null for a switch that is off. */
export function writeWord(input: Pick<Input, "isSwitch" | "values"> | undefined, value: unknown): string | null {
  if (typeof value === "boolean" && input?.isSwitch) return value ? (input.values?.[0] ?? null) : null;
  if (Array.isArray(value)) return value.join(separator);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
