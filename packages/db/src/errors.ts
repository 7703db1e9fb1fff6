/** What an error of the database means. */
import { NoNodeError } from "./nodes.ts";

const causesOf = function* (error: unknown): Generator<object> {
  for (let current = error; typeof current === "object" && current !== null;) {
    yield current;
    current = "cause" in current ? current.cause : null;
  }
};

const codeOf = (error: object): string | null =>
  "code" in error && typeof error.code === "string" ? error.code : null;

/** A unique constraint answered (SQLSTATE 23505), wrapped by the query builder or not. */
export function isUniqueViolation(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => codeOf(cause) === "23505");
}

/** A check constraint or a guard refused a row (SQLSTATE 23514). */
export function isCheckViolation(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => codeOf(cause) === "23514");
}

// Class 08 connection, 57P* shutdown and cancel, 53 resources such as a full disk, 58 system errors, 25006 a read-only
// transaction; the rest are the driver's and the socket's own names.
const unavailable = /^(08|57P|57014|53|58|25006|CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT)/;

/** A lock was waited for too long, or two transactions waited for each other (SQLSTATE 55P03, 40P01). */
export function isLockTimeout(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => ["55P03", "40P01"].includes(codeOf(cause) ?? ""));
}

/** A table or column is not there (SQLSTATE 42P01, 42703, 3F000): the database is at another version. */
export function isOtherVersion(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => ["42P01", "42703", "3F000"].includes(codeOf(cause) ?? ""));
}

/** The database could not be reached or is shutting down: the same call may work in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => unavailable.test(codeOf(cause) ?? ""));
}

/** The disk of the database is full (SQLSTATE 53100). */
export function isDiskFull(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => codeOf(cause) === "53100");
}

/** The driver refused a node because it is of another kind: see `openClient`. */
export const isWrongKind = (error: unknown): boolean =>
  [...causesOf(error)].some((cause) => codeOf(cause) === "CONNECTION_DESTROYED");

/** Why no node was connected to, for an operator: see `openClient`. Null for any other error. */
export function findNodeFault(error: unknown): string | null {
  if (isWrongKind(error)) return "The database's node is in recovery: wait until it is promoted";
  for (const cause of causesOf(error)) if (cause instanceof NoNodeError) return cause.message;
  return null;
}

/** Which limit of the database made it unavailable, in a word for metrics and log. */
export function nameDatabaseLimit(error: unknown): string {
  const codes = [...causesOf(error)].map((cause) => codeOf(cause) ?? "");
  if (codes.includes("57014")) return "statement-time";
  if (codes.includes("53100")) return "database-disk";
  if (codes.some((code) => code.startsWith("53"))) return "database-connections";
  if (codes.includes("25006") || isWrongKind(error)) return "database-read-only";
  return "database-away";
}
