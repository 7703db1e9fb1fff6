/** Faults of a flag's value as a sentence for an operator. */
import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

const expectations: Readonly<Record<string, string>> = {
  int: "it must be a whole number",
  number: "it must be a number",
  string: "it must be text",
  boolean: "it must be true or false",
};

const formats: Readonly<Record<string, string>> = {
  datetime: "it must be an instant such as 2026-01-31T12:00:00Z",
  email: "it must be an e-mail address",
};

/** What a schema that words nothing itself says about a value. */
export function describeIssue(issue: Issue): string {
  if (issue.code === "invalid_type")
    return issue.input === undefined
      ? "it is missing"
      : (expectations[issue.expected] ?? `it must be ${issue.expected}`);
  if (issue.code === "too_small")
    return issue.origin === "string" && issue.minimum === 1
      ? "it is empty"
      : `it must ${bound(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`;
  if (issue.code === "too_big") return `it must ${bound(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`;
  if (issue.code === "invalid_format") return formats[issue.format] ?? "it has the wrong form";
  if (issue.code === "invalid_value") return `it must be ${issue.values.map(String).join(" or ")}`;
  if (issue.code === "invalid_union") return describeVariants(issue.errors);
  return "it is not valid";
}

const bound = (origin: string): string => (origin === "string" || origin === "array" ? "have" : "be");

const units: Readonly<Record<string, string>> = { string: " characters", array: " values" };
const unitOf = (origin: string): string => units[origin] ?? "";

/** A command line is text, so the variant for text knows best what is wrong. */
const describeVariants = (variants: readonly (readonly z.core.$ZodIssue[])[]): string =>
  variants.flat().findLast(({ code }) => code !== "invalid_type")?.message ?? "it is not valid";
