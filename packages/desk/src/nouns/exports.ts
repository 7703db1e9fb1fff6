import { listExports } from "@cardkeep/domain/operations/exports/runExport";
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
      { name: "Its days are those", of: ({ day }) => text(day), terminal: "elastic" },
      { name: "Forms", of: ({ formats }) => text(formats.join(", ")) },
    ],
    read: async () => listExports(),
  },
});
