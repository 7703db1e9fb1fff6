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

/** A failed query names its parameters, which are people's data: its text is replaced by the database's own. */
function describeError(error: unknown): object {
  const described = pino.stdSerializers.err(error instanceof Error ? error : new Error(String(error)));
  if (!(error instanceof Error) || !("params" in error)) return described;
  const cause = error.cause instanceof Error ? error.cause.message : "unknown";
  return {
    type: described.type,
    message: `A query failed: ${cause}`,
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
