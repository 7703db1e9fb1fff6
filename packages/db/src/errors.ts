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

const codesOf = (error: unknown): string[] => [...causesOf(error)].map((cause) => codeOf(cause) ?? "");

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codesOf(error).some((code) => codes.includes(code));

/** A unique constraint answered (SQLSTATE 23505), wrapped by the query builder or not. */
export const isUniqueViolation = (error: unknown): boolean => hasCode(error, "23505");

/** A check constraint or a guard refused a row (SQLSTATE 23514). */
export const isCheckViolation = (error: unknown): boolean => hasCode(error, "23514");

// Class 08 connection, 57P* shutdown and cancel, 53 resources such as a full disk, 58 system errors, 25006 a read-only
// transaction; the rest are the driver's and the socket's own names.
const unavailable = /^(08|57P|57014|53|58|25006|CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|ETIMEDOUT)/;

/** A lock was waited for too long, or two transactions waited for each other (SQLSTATE 55P03, 40P01). */
export const isLockTimeout = (error: unknown): boolean => hasCode(error, "55P03", "40P01");

/** A table or column is not there (SQLSTATE 42P01, 42703, 3F000): the database is at another version. */
export const isOtherVersion = (error: unknown): boolean => hasCode(error, "42P01", "42703", "3F000");

/** The database could not be reached or is shutting down: the same call may work in a moment. */
export const isDatabaseUnavailable = (error: unknown): boolean => codesOf(error).some((code) => unavailable.test(code));

/** The disk of the database is full (SQLSTATE 53100). */
export const isDiskFull = (error: unknown): boolean => hasCode(error, "53100");

/** The driver refused a node because it is of another kind: see `openClient`. */
export const isWrongKind = (error: unknown): boolean => hasCode(error, "CONNECTION_DESTROYED");

/** Why no node was connected to, for an operator: see `openClient`. Null for any other error. */
export function findNodeFault(error: unknown): string | null {
  if (isWrongKind(error)) return "The database's node is in recovery: wait until it is promoted";
  for (const cause of causesOf(error)) if (cause instanceof NoNodeError) return cause.message;
  return null;
}

/** Which limit of the database made it unavailable, in a word for metrics and log. */
export function nameDatabaseLimit(error: unknown): string {
  const codes = codesOf(error);
  if (codes.includes("57014")) return "statement-time";
  if (codes.includes("53100")) return "database-disk";
  if (codes.some((code) => code.startsWith("53"))) return "database-connections";
  if (codes.includes("25006") || isWrongKind(error)) return "database-read-only";
  return "database-away";
}
