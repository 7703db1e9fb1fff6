import { beginExport, listExports } from "@cardkeep/domain/operations/exports/runExport";
import { exportFormats } from "@cardkeep/domain/operations/exports/formats";
import { defineNoun } from "../defineNoun.ts";
import { code, text } from "../value.ts";

export const exports = defineNoun({
  name: "exports",
  title: "Exports",
  group: "Money",
  brief: "Records of money as files, for finance and for bookkeeping programs",
  argument: { name: "export", brief: "Name of the export" },
  keyOf: ({ name }) => name,
  list: {
    verb: "exports.list",
    brief: "Lists what can be exported",
    example: "exports list",
    lead: "A file of any size is written record by record, and goes on behind any record.",
    none: "There are no exports.",
    isWhole: true,
    filters: {},
    columns: [
      { name: "Export", of: ({ name }) => code(name) },
      { name: "What it has", of: ({ brief }) => text(brief), terminal: "elastic" },
      { name: "Days", of: ({ day }) => text(day), terminal: "elastic" },
      { name: "Forms", of: ({ formats }) => text(formats.join(", ")) },
    ],
    read: async () => listExports(),
  },
  acts: {
    run: {
      verb: "exports.run",
      brief: "Answers the records of an export as a file of any size",
      details: "Each record ends with its cursor, behind which an export goes on. Days are those of statements.",
      example: "exports run clearings --from 2026-11-01 --to 2026-11-30 --out clearings.csv",
      inputs: {
        format: {
          label: "Form",
          brief: "Form of the file; beancount is one of ledger and journal alone",
          placeholder: "FORM",
          values: exportFormats,
        },
        from: {
          label: "First day",
          brief: "First day, in the time zone of statements",
          placeholder: "DAY",
          calendar: "day",
        },
        to: {
          label: "Last day",
          brief: "Last day; without it up to a minute ago",
          placeholder: "DAY",
          calendar: "day",
        },
        after: {
          label: "Behind the cursor",
          brief: "Go on behind the record with this cursor. But for journal, the last day has to be over",
          placeholder: "CURSOR",
        },
      },
      offer: ({ name, brief, formats }) => ({
        label: `Export ${name}`,
        consequence: `${brief}. The action log keeps that you took the file.`,
        present: { format: formats[0] ?? null },
        choices: { format: formats },
      }),
      file: (ctx, key, { format, from, to, after }) => {
        const given = Object.entries({ format, from, to, after }).filter(([, word]) => word);
        return beginExport(ctx, { ...Object.fromEntries(given), name: key });
      },
    },
  },
});
