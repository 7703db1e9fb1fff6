/** Structured logs without secrets. */
import pino from "pino";

export type Log = pino.Logger;

// Whatever is logged, these never leave the process.
const secrets = ["authorization", "token", "signature", "otp", "code", "raw", "privateKey", "secret", "authEmail", "email"];

/** A JSON logger for one part of the program; fields that carry secrets are censored at the top and one level down. */
export function createLog(input: { part: string; level: string }): Log {
  return pino({
    level: input.level,
    base: { part: input.part },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
  });
}
