/** From a request's input to a verb's: the errors that name a field. */
import { fail } from "@cardkeep/contract/core/errors";
import type { Route } from "@cardkeep/contract/core/route";
import { describeIssue } from "@cardkeep/contract/core/routeErrors";
import { findIllFormedText } from "@cardkeep/contract/core/text";
import type { z } from "zod";

/**
 * A request's input by its route's schema.
 * @throws the route's own code for a field, otherwise request.invalid or request.malformed with the reason
 */
export function decodeInput(route: Route, schema: z.ZodType, rawInput: unknown): unknown {
  const code = route.errors.includes("request.malformed") ? "request.malformed" : "request.invalid";
  const decoded = schema.safeParse(rawInput, { error: describeIssue });
  if (!decoded.success) {
    const [first] = decoded.error.issues;
    const field = String(first?.path[0] ?? "");
    const ofField = (isEmpty(rawInput, field) && route.emptyFieldErrors?.[field]) || route.fieldErrors?.[field];
    if (ofField) fail(ofField);
    fail(code, { text: first?.message ?? "Invalid request" });
  }
  // Here, for all fields of all routes: a field's own schema would answer with another text.
  const path = findIllFormedText(decoded.data);
  return path === null ? decoded.data : fail(code, { text: describeIssue({ path, input: null }) });
}

/** Whether a field is missing, null or an empty text. */
function isEmpty(rawInput: unknown, field: string): boolean {
  if (typeof rawInput !== "object" || rawInput === null) return true;
  const value: unknown = Reflect.get(rawInput, field);
  return value === undefined || value === null || value === "";
}
