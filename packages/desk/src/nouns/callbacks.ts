import { issuerCallbackOutcomes } from "@cardkeep/db/schema/cards/cards";
import { listIssuerCallbacks } from "@cardkeep/domain/cards/cards/listIssuerCallbacks";
import { defineNoun } from "../defineNoun.ts";
import { code, instant, status, text } from "../value.ts";

export const callbacks = defineNoun({
  name: "callbacks",
  title: "Callbacks",
  group: "Operations",
  brief: "Callbacks of the card issuer",
  argument: { name: "callback", brief: "Id of the callback" },
  keyOf: (row) => row.id,
  list: {
    verb: "callbacks.list",
    brief: "Lists callbacks of the card issuer, newest first",
    example: "callbacks list --outcome unknown",
    lead: "What the card issuer sent within 30 days. Unknown types need a newer version. Unmatched ones are about objects that were made elsewhere.",
    none: "The card issuer sent no such callback within 30 days.",
    filters: {
      outcome: {
        label: "Outcome",
        brief: "Only callbacks with this outcome",
        placeholder: "OUTCOME",
        values: issuerCallbackOutcomes,
        isTab: true,
      },
      type: { label: "Type", brief: "Only callbacks of this type", placeholder: "TYPE" },
    },
    columns: [
      { name: "Received", of: (row) => instant(row.receivedAt) },
      { name: "Type", of: (row) => text(row.type, "stranger") },
      { name: "Outcome", of: (row) => status(row.outcome) },
      { name: "Object", of: (row) => code(row.objectId), terminal: "optional" },
      { name: "Meaning", of: (row) => text(row.text), terminal: "elastic" },
      { name: "Callback", of: (row) => code(row.id), terminal: "hidden" },
    ],
    read: listIssuerCallbacks,
  },
});
