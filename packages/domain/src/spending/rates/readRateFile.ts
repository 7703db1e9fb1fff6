/** The files in which the European Central Bank publishes its reference rates, as rates of one euro. */
import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import type { ReferenceRate } from "@cardkeep/db/queries/spending/referenceRates";
import { CsvError, parse } from "csv-parse/sync";
import { SaxesParser } from "saxes";
import { isDay } from "../../core/calendar.ts";

export type PublishedRate = Pick<ReferenceRate, "currency" | "day" | "rate">;

/** The whole history since 1999 has 220,000. */
const ratesMax = 500_000;
const refuse = (why: string): never => fail("rates.invalid_file", { text: `The file has no reference rates: ${why}` });

/** `2026-11-25`, or `25 November 2026` as in the file of one day. */
function readDay(text: string): string {
  if (isDay(text)) return text;
  const atMs = /^\d{1,2} [A-Z][a-z]+ \d{4}$/.test(text) ? Date.parse(`${text} UTC`) : Number.NaN;
  return Number.isNaN(atMs) ? refuse(`"${text.slice(0, 40)}" is no day`) : new Date(atMs).toISOString().slice(0, 10);
}

/** A rate; null where none was published. */
function readRate(day: string, currency: string, text: string): PublishedRate | null {
  if (text === "" || text === "N/A" || text === "NaN") return null;
  const isRate = /^\d{1,9}(\.\d{1,12})?$/.test(text) && Number(text) > 0;
  if (!isRate || !/^[A-Z]{3}$/.test(currency) || currency === "EUR")
    refuse(`"${text.slice(0, 40)}" of "${currency.slice(0, 40)}" on ${day} is no rate of a currency`);
  return { currency, day: readDay(day), rate: text };
}

/** A line a day, and a column a currency. */
function* readTable([titles = [], ...lines]: readonly string[][]): Generator<PublishedRate | null> {
  for (const [day = "", ...rates] of lines)
    for (const [index, text] of rates.entries()) {
      const currency = titles[index + 1] ?? "";
      // Each line ends with a comma.
      if (currency !== "" || text !== "") yield readRate(day, currency, text);
    }
}

/** A line a rate: what the bank's data portal exports. */
function* readSeries([titles = [], ...lines]: readonly string[][]): Generator<PublishedRate | null> {
  const at = (line: readonly string[], title: string): string => line[titles.indexOf(title)] ?? "";
  for (const line of lines) {
    const kind = ["FREQ", "CURRENCY_DENOM", "EXR_TYPE"].map((title) => at(line, title)).join(".");
    if (kind !== "D.EUR.SP00") refuse(`a series is ${kind.slice(0, 40)}, not the daily rate of one euro (D.EUR.SP00)`);
    yield readRate(at(line, "TIME_PERIOD"), at(line, "CURRENCY"), at(line, "OBS_VALUE"));
  }
}

function readCsv(text: string): Iterable<PublishedRate | null> {
  const lines = parse(text, { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true });
  const titles = lines[0] ?? [];
  if (titles.includes("OBS_VALUE")) return readSeries(lines);
  return titles[0] === "Date" ? readTable(lines) : refuse("it is neither CSV nor XML of the European Central Bank");
}

/** `Cube` elements: one with the day around those of the currencies. */
function readXml(text: string): (PublishedRate | null)[] {
  const rates: (PublishedRate | null)[] = [];
  let day = "";
  const parser = new SaxesParser();
  parser.on("error", (error) => refuse(error.message));
  parser.on("opentag", ({ name, attributes: { time, currency = "", rate } }) => {
    if (name !== "Cube") return;
    day = time ?? day;
    if (rate !== undefined) rates.push(readRate(day, currency, rate));
  });
  parser.write(text).close();
  return rates;
}

/** Each rate once. @throws rates.invalid_file */
export function readRateFile(text: string): PublishedRate[] {
  const known = new Map<string, PublishedRate>();
  try {
    for (const rate of /^\s*</.test(text.replace("\ufeff", "")) ? readXml(text) : readCsv(text)) {
      if (rate === null) continue;
      const key = `${rate.day} ${rate.currency}`;
      if ((known.get(key) ?? rate).rate !== rate.rate) refuse(`it has two rates of ${rate.currency} on ${rate.day}`);
      known.set(key, rate);
      if (known.size > ratesMax) refuse(`it has more than ${ratesMax}`);
    }
  } catch (error) {
    if (error instanceof CardkeepError) throw error;
    if (error instanceof CsvError) refuse(error.message);
    throw error;
  }
  return known.size === 0 ? refuse("it is empty") : [...known.values()];
}
