/** Structured logs without secrets. */
import pino from "pino";

export type Log = pino.Logger;

// Whatever is logged, these never leave the process.
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

/** The database's own error, by itself or as the query builder's cause; null for any other. */
function findDatabaseError(error: Error): Error | null {
  const told = "params" in error ? error.cause : error;
  return told instanceof Error && ("params" in error || "severity" in told) ? told : null;
}

/** A failed query names its parameters, and the database the values it refused, which are people's data: what failed is left. */
function describeError(error: unknown): object {
  const described = pino.stdSerializers.err(error instanceof Error ? error : new Error(String(error)));
  const told = error instanceof Error ? findDatabaseError(error) : null;
  if (!(error instanceof Error) || told === null) return described;
  return {
    type: described.type,
    message: `A query failed: ${told.message}`,
    sqlState: "code" in told ? told.code : undefined,
    constraint: "constraint_name" in told ? told.constraint_name : undefined,
    query: "query" in error ? error.query : undefined,
  };
}

/** A JSON logger for one part of the program; fields that carry secrets are censored at the top and one level down. */
export function createLog(input: { part: string; level: string }): Log {
  return pino({
    level: input.level,
    base: { part: input.part },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
  });
}
