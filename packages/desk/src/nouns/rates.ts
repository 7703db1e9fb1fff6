import { importRates, keyOfRate, listRates } from "@cardkeep/domain/spending/rates/importRates";
import { Answered, defineNoun } from "../defineNoun.ts";
import { code, count, instant, text } from "../value.ts";

export const rates = defineNoun({
  name: "rates",
  title: "Reference rates",
  group: "Money",
  brief: "Reference rates, with which statements compare the rates of cards",
  argument: { name: "rate", brief: "Day and currency, such as 2026-11-25-USD" },
  keyOf: keyOfRate,
  list: {
    verb: "rates.list",
    brief: "Lists reference rates, newest day first",
    example: "rates list --currency USD",
    lead: "Units of a currency for one euro. Statements state the mark-up of a card's rate over the one of that day, or of a day up to four before it.",
    none: "There are no reference rates.",
    hint: "Import them: `cardkeep rates import eurofxref-hist-90d.xml`.",
    filters: {
      currency: { label: "Currency", brief: "Of this currency", placeholder: "CODE" },
      day: { label: "Day", brief: "Of this day, such as 2026-11-25", placeholder: "DAY" },
    },
    columns: [
      { name: "Day", of: ({ day }) => text(day) },
      { name: "Currency", of: ({ currency }) => code(currency) },
      { name: "For one euro", of: ({ rate }) => text(rate), isRight: true },
      { name: "Published by", of: ({ source }) => text(source), terminal: "optional" },
      { name: "Recorded", of: ({ createdAt }) => instant(createdAt) },
    ],
    read: listRates,
  },
  acts: {
    import: {
      verb: "rates.import",
      label: "Import reference rates",
      brief: "Records the reference rates of a file of the European Central Bank",
      details:
        "The file is CSV or XML as the bank publishes it, of one day, of 90 days or of all days, or CSV of its data portal.\n" +
        "A rate that is recorded already stays; another one of the same day and currency replaces it. Made statements stay.",
      example: "rates import eurofxref-hist-90d.xml",
      isKeyless: true,
      inputs: {
        file: {
          label: "Content of the file",
          brief: "File of the bank",
          placeholder: "file",
          isFile: true,
          isArgument: true,
          isRequired: true,
        },
      },
      run: async (ctx, _, { file = "" }) => {
        const data = await importRates(ctx, { file });
        const { firstDay, lastDay, days, rates: all, added, changed } = data;
        return new Answered(lastDay, data, [
          ["From", text(firstDay)],
          ["To", text(lastDay)],
          ["Days", count(days)],
          ["Rates", count(all)],
          ["New", count(added)],
          ["Changed", count(changed)],
        ]);
      },
    },
  },
});
