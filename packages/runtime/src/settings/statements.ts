/** Settings of statements of account. */
import type { StatementPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import type { Values } from "./types.ts";

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export const statementEnvironment = {
  STATEMENT_TIME_ZONE: z
    .string()
    .refine(isTimeZone, "must be a time zone by its IANA name, such as Europe/Berlin")
    .default("UTC")
    .describe("Time zone by whose midnight the days and months of statements end. Set it once: made statements stay"),
};

/** The days of statements. */
export const readStatements = (e: Values<typeof statementEnvironment>): StatementPolicy => ({
  statementTimeZone: e.STATEMENT_TIME_ZONE,
});
