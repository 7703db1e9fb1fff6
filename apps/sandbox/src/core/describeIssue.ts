/** What is wrong with a field, for a schema that words nothing itself. */
import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

/** Completes a sentence that begins with the field's name. */
export function describeIssue(issue: Issue): string {
  if (issue.code === "too_small")
    return issue.origin === "string" && issue.minimum === 1
      ? "must not be empty"
      : `must ${verbOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`;
  if (issue.code === "too_big") return `must ${verbOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`;
  if (issue.code === "invalid_value") return `must be ${issue.values.map(String).join(" or ")}`;
  if (issue.code === "unrecognized_keys") return `must not have ${issue.keys.join(", ")}`;
  return issue.input === undefined ? "is missing" : "is invalid";
}

const units: Readonly<Record<string, string>> = { string: " characters", array: " values" };
const unitOf = (origin: string): string => units[origin] ?? "";
const verbOf = (origin: string): string => (origin in units ? "have" : "be");
