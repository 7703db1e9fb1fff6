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
  const logged = "params" in error ? error.cause : error;
  return logged instanceof Error && ("params" in error || "severity" in logged) ? logged : null;
}

/** A failed query names its parameters, and the database the values it refused, which are people's data: what failed is left. */
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
