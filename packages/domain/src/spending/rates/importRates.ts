/** Reference rates: what operators bring in, and what there is. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";
import { listAllRates, type ReferenceRate, setReferenceRates } from "@cardkeep/db/queries/spending/referenceRates";
import { createHash } from "node:crypto";
import { isDay } from "../../core/calendar.ts";
import type { OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { readRateFile } from "./readRateFile.ts";

/** Who publishes the rates of the files. */
const source = "ECB";

export interface ImportedRates {
  readonly firstDay: string;
  readonly lastDay: string;
  readonly days: number;
  readonly rates: number;
  readonly added: number;
  /** Recorded before with another rate. */
  readonly changed: number;
}

/** Records the rates of a file of the European Central Bank. @throws rates.invalid_file */
export async function importRates(ctx: OperatorContext, { file }: { file: string }): Promise<ImportedRates> {
  const rates = readRateFile(file);
  const days = [...new Set(rates.map(({ day }) => day))].toSorted();
  const [firstDay = "", lastDay = ""] = [days[0], days.at(-1)];
  return ctx.act("rates.import", async ({ tx, now }) => {
    // A day begins in the bank's time zone before it begins in UTC.
    if (lastDay > new Date(now.getTime() + dayMs).toISOString().slice(0, 10))
      fail("rates.invalid_file", { text: `The file has a rate of ${lastDay}, a day to come` });
    const rows = rates.map((rate) => ({ ...rate, source, createdAt: now }));
    const written = await setReferenceRates(tx, rows);
    const output = { firstDay, lastDay, days: days.length, rates: rates.length, ...written };
    const digest = createHash("sha256").update(file).digest("hex");
    return { output, subject: { kind: "rates", id: lastDay }, before: null, after: { ...output, source, digest } };
  });
}

/** Names a rate in lists. */
export const keyOfRate = ({ day, currency }: Pick<ReferenceRate, "day" | "currency">): string => `${day}-${currency}`;

const keyLength = "2026-11-25".length;

/** Reference rates, newest day first. */
export async function listRates(
  { db }: Pick<Services, "db">,
  {
    day,
    currency,
    after = null,
    limit,
  }: { day: string | null; currency: string | null; after?: string | null; limit: number },
): Promise<ReferenceRate[]> {
  const position = after === null ? null : { day: after.slice(0, keyLength), currency: after.slice(keyLength + 1) };
  if ((day !== null && !isDay(day)) || (position !== null && !isDay(position.day))) return [];
  return listAllRates(db, { day, currency: currency?.toUpperCase() ?? null, after: position, limit });
}
