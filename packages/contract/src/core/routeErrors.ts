/** The errors of a route: codes, bodies and texts. */
import { commonErrors, type ErrorCode, errors, type TokenError, tokenErrors } from "./errorCatalogue.ts";
import { type Access, errorStyleOf, isServerFailure, type Route } from "./route.ts";
import { buildWireSchema, listFields } from "./wireSchema.ts";

/** Whether an error comes from the input's schema, so that its text names a field. */
export const isOfSchema = (code: ErrorCode): boolean => code === "request.invalid" || code === "request.malformed";

/** Whether a route executes requests with the same `Idempotency-Key` once. */
export const takesIdempotencyKey = (route: Route): boolean =>
  (route.access !== "public" || route.takesToken === true) && route.method !== "GET" && !route.holdsToken;

/** Whether a route rejects a user that the operator deactivated: every change except the withdrawal. */
export const refusesDeactivated = (route: Route): boolean =>
  route.access === "user" && route.method !== "GET" && !route.openToDeactivated;

/** Whether a route may answer one of the common codes, which routes do not list. */
function mayAnswer(route: Route, code: ErrorCode): boolean {
  if (code === "users.deactivated") return refusesDeactivated(route);
  if (code === "auth.scope_missing") return route.access !== "public";
  return takesIdempotencyKey(route) || !code.startsWith("idempotency.");
}

/** The codes of a missing or wrong token on a route. A partner's key neither expires in itself nor signs up. */
const tokenErrorsByAccess: Readonly<Record<Access, readonly TokenError[]>> = {
  public: [],
  wallet: ["auth.token_missing", "auth.token_expired", "auth.token_invalid"],
  user: tokenErrors,
  partner: ["auth.token_missing", "auth.token_invalid"],
};

/** Every code that a route may answer, its own first. */
export function listErrorCodes(route: Route): { code: ErrorCode; isOwn: boolean }[] {
  const common = [...tokenErrorsByAccess[route.access], ...commonErrors.filter((code) => mayAnswer(route, code))];
  return [
    ...route.errors.map((code) => ({ code, isOwn: true })),
    ...common.filter((code) => !route.errors.includes(code)).map((code) => ({ code, isOwn: false })),
  ];
}

/** The text of an error on a route, unless the error has its own. */
export const errorTextOf = (code: ErrorCode, route: Route | null): string =>
  isServerFailure(code) ? (route?.failure?.text ?? errors["server.internal"].text) : errors[code].text;

/** The JSON body of an error on a route; null means no route. */
export function buildErrorBody(
  code: ErrorCode,
  route: Route | null,
  text: string,
  details: Readonly<Record<string, unknown>> = {},
): unknown {
  const style = errorStyleOf(code, route);
  if (style === "bare") return text;
  if (style === "errors") return { errors: { message: text, ...details } };
  if (style === "data") {
    return { data: { success: false, status: errors[code].status, description: text, ...details } };
  }
  return { [style]: text, ...errors[code].extra };
}

/** The text of a schema error without a text of its own: it names the field and what a list may hold, never the value. */
export function describeIssue(issue: {
  path?: PropertyKey[] | undefined;
  input?: unknown;
  code?: string | undefined;
  values?: readonly unknown[] | undefined;
}): string {
  const path = issue.path ?? [];
  const field = path.map(String).join(".");
  if (field === "") return "Invalid request body";
  if (issue.code === "invalid_value" && issue.values && typeof path.at(-1) === "number")
    return `${field} must be one of ${issue.values.join(", ")}`;
  return issue.input === undefined ? `${field} is missing` : `${field} is invalid`;
}

/** The texts of a route's schema errors, field by field; taken from the schema itself. */
export function listInvalidTexts({ input }: Route): string[] {
  if (!input) return [];
  const names = listFields(buildWireSchema(input)).map(({ name }) => name);
  const probes = [undefined, null, "?", "0x", {}].map((value) =>
    Object.fromEntries(names.map((name) => [name, value])),
  );
  const texts = [...(names.length === 0 ? [null, {}, [{}], [null]] : []), ...probes].flatMap((probe) => {
    const parsed = input.safeParse(probe, { error: describeIssue });
    return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  });
  return [...new Set(texts)];
}
