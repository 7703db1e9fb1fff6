import type { OperatorAction } from "@cardkeep/db/queries/operators/actions";
import { compareFacts, getAction, listActions } from "@cardkeep/domain/core/operators/listActions";
import { operatorChanges } from "@cardkeep/domain/core/operators/verbs";
import { formatWay } from "@cardkeep/domain/core/wording";
import { defineNoun } from "../defineNoun.ts";
import { code, count, id, instant, text } from "../value.ts";

/** JSON has no integers as large as the type allows, and a sequence is a number. */
type ActionRow = Omit<OperatorAction, "sequence"> & { readonly sequence: number };
const toRow = (action: OperatorAction): ActionRow => ({ ...action, sequence: Number(action.sequence) });

const describeChange = (row: ActionRow): string =>
  compareFacts(row)
    .map(({ name, before, after }) => `${name}: ${before} → ${after}`)
    .join("; ");

/** The noun whose row an action was about; an erased user has none. */
const findSubjectNoun = ({ subjectKind, verb }: ActionRow): string | null => {
  if (verb === "users.erase" || verb === "users.erase-again") return null;
  return subjectKind === "user" ? "users" : subjectKind === "delivery" ? "deliveries" : null;
};

export const actions = defineNoun({
  name: "actions",
  title: "Actions",
  group: "Access",
  brief: "What operators did, in a chain of hashes",
  argument: { name: "number", brief: "Number of the action" },
  keyOf: (row: ActionRow) => String(row.sequence),
  list: {
    verb: "actions.list",
    brief: "Lists actions, newest first",
    example: ["actions list --verb users.erase", "actions list --subject shop"],
    lead: "What operators did.",
    none: "There are no such actions.",
    hint: "Each change by an operator is one.",
    filters: {
      operator: { label: "Operator", brief: "Only actions of this operator", placeholder: "ID" },
      verb: { label: "Verb", brief: "Only this verb", placeholder: "VERB", values: operatorChanges },
      subject: {
        label: "Subject",
        brief: "Only actions on the user, card, order or partner with this id",
        placeholder: "ID",
      },
    },
    columns: [
      { name: "Number", of: (row) => id(String(row.sequence), "actions"), isRight: true },
      { name: "At", of: (row) => instant(row.at) },
      { name: "Operator", of: (row) => text(row.operatorName) },
      { name: "By", of: (row) => text(formatWay(row)), terminal: "hidden" },
      { name: "Verb", of: (row) => code(row.verb) },
      { name: "Subject", of: (row) => text(`${row.subjectKind} ${row.subjectId}`) },
      { name: "Change", of: (row) => text(describeChange(row)), terminal: "hidden" },
      { name: "Reason", of: (row) => text(row.reason), terminal: "elastic" },
      { name: "Approved by", of: (row) => text(row.approverName), terminal: "hidden" },
    ],
    read: async (ctx, { operator, verb, subject, ...position }) => {
      const rows = await listActions(ctx, {
        ...position,
        ...(operator !== null && { operatorId: operator }),
        ...(verb !== null && { verb }),
        ...(subject !== null && { subjectId: subject }),
      });
      return rows.map(toRow);
    },
  },
  show: {
    verb: "actions.show",
    brief: "Shows one action with the state before and after",
    example: "actions show 17",
    title: "Action",
    read: async (ctx, key) => toRow(await getAction(ctx, { sequence: key })),
    rowOf: (shown) => shown,
    page: ({ subjectId }) => ({ related: [{ noun: "actions", filter: "subject", word: subjectId }] }),
    fields: (row) => [
      ["Number", count(row.sequence)],
      ["At", instant(row.at)],
      ["Operator", text(`${row.operatorName}, ${row.operatorId}`)],
      ["By", text(formatWay(row))],
      ["Verb", code(row.verb)],
      ["Subject", [text(row.subjectKind), id(row.subjectId, findSubjectNoun(row))]],
      ...compareFacts(row).map(({ name, before, after }) => [`  ${name}`, text(`${before} -> ${after}`)] as const),
      ["Reason", text(row.reason)],
      ["Approved by", text(row.approverName)],
      ["Request", code(row.requestId)],
      ["Hash", code(row.hash)],
      ["Before it", code(row.previousHash)],
    ],
  },
});
