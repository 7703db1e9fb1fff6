import { fail } from "@cardkeep/contract/core/errors";
import { findVerbRow, type OperatorVerb } from "./verbs.ts";

/** Characters of a reason. */
export const reasonLengthMax = 500;

/**
 * The reason that a form gave for a change, without surrounding blanks; null for none.
 *
 * @throws operators.reason_required where the verb needs one, or it is too long
 */
export function readReason(verb: OperatorVerb, given: string | null): string | null {
  const reason = given?.trim() ?? "";
  if (reason.length > reasonLengthMax)
    fail("operators.reason_required", { text: `A reason has at most ${reasonLengthMax} characters` });
  if (reason === "" && findVerbRow(verb).needsReason) fail("operators.reason_required");
  return reason === "" ? null : reason;
}
