/** Structured logs without secrets. */
import pino from "pino";
import type { Part } from "./settings/connections.ts";

export type Log = pino.Logger;

// The log never contains these fields.
const secrets = [
  "authorization",
  "token",
  "signature",
  "otp",
  "code",
  "raw",
  "privateKey",
  "secret",
  "authEmail",
  "email",
  "phone",
  "phoneNumber",
  "pan",
  "pin",
  "cvc",
];

/** The database's own error, alone or as the query builder's cause; null for any other. */
function findDatabaseError(error: Error): Error | null {
  const logged = "params" in error ? error.cause : error;
  return logged instanceof Error && ("params" in error || "severity" in logged) ? logged : null;
}

/**
 * A failed query names its parameters, and the database names the rejected values. Both are personal data, so only
 * the failure itself is logged.
 */
function describeError(error: unknown): object {
  const described = pino.stdSerializers.err(error instanceof Error ? error : new Error(String(error)));
  const logged = error instanceof Error ? findDatabaseError(error) : null;
  if (!(error instanceof Error) || logged === null) return described;
  return {
    type: described.type,
    message: `A query failed: ${logged.message}`,
    sqlState: "code" in logged ? logged.code : undefined,
    constraint: "constraint_name" in logged ? logged.constraint_name : undefined,
    query: "query" in error ? error.query : undefined,
  };
}

/** The same error, with the query and without its parameters, for a library that logs and stores its text. */
export function withoutParameters(error: unknown): unknown {
  const logged = error instanceof Error ? findDatabaseError(error) : null;
  if (!(error instanceof Error) || logged === null) return error;
  return new Error(`A query failed: ${logged.message}${"query" in error ? `: ${String(error.query)}` : ""}`);
}

/** A JSON logger for one part of the program. Secret fields are censored at the top and one level down. */
export function createLog(input: { part: string; level: string; stream?: "stdout" | "stderr" }): Log {
  const options: pino.LoggerOptions = {
    level: input.level,
    base: { part: input.part },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
  };
  return input.stream === "stderr" ? pino(options, pino.destination(2)) : pino(options);
}

/** The log of erasures, at every log level. A command prints its answer on the standard output, which takes no other line. */
export const createErasureLog = (part: Part): Log =>
  createLog({ part, level: "info", stream: part === "cli" ? "stderr" : "stdout" });
