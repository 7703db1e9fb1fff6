/** Inputs of acts by the schemas of the domain's verbs. */
import { fail } from "@cardkeep/contract/core/errors";
import type { z } from "zod";
import type { Given, InputFault } from "./noun.ts";

type DescribeIssue = z.core.$ZodErrorMap;

export interface GivenInput<O> {
  /** @throws request.invalid that names the field */
  parse(key: string, given: Given): O;
  /** The first fault, in the words of `describe`; null without one. */
  check(key: string, given: Given, describe?: DescribeIssue): InputFault | null;
}

/** Reads inputs by a schema: `key` is the field of the row's key, and `numbers` are fields that a text may hold as a number. */
export function readBySchema<O, I>(
  schema: z.ZodType<O, I>,
  { key: keyField, numbers = [] }: { key: string; numbers?: readonly string[] },
): GivenInput<O> {
  const read = (name: string, word: string): unknown =>
    numbers.includes(name) && /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : word;
  const parseAll = (key: string, given: Given, error?: DescribeIssue) => {
    const words = Object.entries({ ...given, [keyField]: key }).flatMap(([name, word]) =>
      word === undefined || word === "" ? [] : [[name, read(name, word)] as const],
    );
    return schema.safeParse(Object.fromEntries(words), error && { error });
  };
  return {
    parse: (key, given) => {
      const parsed = parseAll(key, given);
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      return fail("request.invalid", {
        text: `Invalid value for ${issue?.path.join(".") ?? "the input"}: ${issue?.message}`,
      });
    },
    check: (key, given, describe) => {
      const [issue] = parseAll(key, given, describe).error?.issues ?? [];
      return issue === undefined ? null : { field: String(issue.path[0] ?? ""), message: issue.message };
    },
  };
}
