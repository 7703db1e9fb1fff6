/** Settings of the records that the law keeps of erased people. */
import { recordClasses } from "@cardkeep/domain/core/records/recordClasses";
import type { RecordPolicy } from "@cardkeep/domain/core/policy";
import { z } from "zod";
import type { RecordClassName } from "@cardkeep/db/schema/users/records";
import type { Values } from "./types.ts";

function years(name: RecordClassName, what: string) {
  const { yearsMin, yearsMax, yearsStandard } = recordClasses[name];
  return z.coerce
    .number<string>()
    .int()
    .min(yearsMin)
    .max(yearsMax)
    .default(yearsStandard)
    .describe(`Years from the erasure of a person for which ${what} are kept, sealed, as the law of your country asks`);
}

export const recordEnvironment = {
  RECORD_YEARS_IDENTITY: years("identity", "verified identities"),
  RECORD_YEARS_PAYMENTS: years("payments", "names and addresses of payments and orders"),
};

export const readRecordRules = (e: Values<typeof recordEnvironment>): RecordPolicy => ({
  recordYears: { identity: e.RECORD_YEARS_IDENTITY, payments: e.RECORD_YEARS_PAYMENTS },
});
