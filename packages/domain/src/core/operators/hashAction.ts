import type { OperatorAction } from "@cardkeep/db/queries/operators/actions";
import canonicalize from "canonicalize";
import { createHash } from "node:crypto";

/** An action as JSON: the sequence as a number, the instant as ISO 8601 in UTC with milliseconds. */
const toJson = <A extends Omit<OperatorAction, "hash">>({ sequence, at, ...rest }: A) => ({
  ...rest,
  sequence: Number(sequence),
  at: at.toISOString(),
});

/** An action as a line of an export. */
export const toExport = (action: OperatorAction) => toJson(action);

/**
 * The hash of an action, as 64 lower-case hexadecimal digits.
 *
 * An auditor recomputes it from a line of `cardkeep actions export --format jsonl` in any language:
 *
 * 1. Parse the line as JSON and remove the field `hash`. These 18 fields remain, null where they are empty: `id`,
 *    `sequence`, `at`, `operatorId`, `operatorName`, `via`, `proof`, `verb`, `subjectKind`, `subjectId`, `before`, `after`, `reason`,
 *    `requestId`, `approvalId`, `approverId`, `approverName`, `previousHash`. `sequence` is a number, `at` is ISO 8601 in
 *    UTC with three digits of milliseconds and `Z`; all numbers in `before` and `after` are integers.
 * 2. Serialise the object by RFC 8785 (JSON Canonicalization Scheme): keys sorted by their UTF-16 code units at every level,
 *    no white space.
 * 3. Take SHA-256 of the UTF-8 bytes.
 *
 * `previousHash` is the `hash` of the action whose `sequence` is one less; of the first action it is 64 zeros.
 */
export function hashAction(content: Omit<OperatorAction, "hash">): string {
  const text = canonicalize(toJson(content));
  if (text === undefined) throw new Error("An action has no JSON form");
  return createHash("sha256").update(text, "utf8").digest("hex");
}
