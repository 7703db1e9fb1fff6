import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { listStates } from "@cardkeep/contract/core/machine";
import { address } from "@cardkeep/contract/core/primitives";
import { describeEffect, summariseEffect } from "@cardkeep/domain/accounts/delays/describeOperation";
import { listOperations, type OperationSummary } from "@cardkeep/domain/accounts/delays/listOperations";
import { timeline } from "@cardkeep/domain/accounts/delays/timeline";
import { describeEntry, describeQueue } from "@cardkeep/domain/accounts/delays/timelineWords";
import { formatUnitsShort } from "@cardkeep/domain/core/wording";
import { defineNoun } from "../defineNoun.ts";
import { amount, code, id, instant, status, text } from "../value.ts";

type DelayRow = Omit<OperationSummary, "queueNonce">;

export const delays = defineNoun({
  name: "delays",
  title: "Delayed operations",
  group: "Money",
  brief: "Delayed operations of Safes",
  argument: { name: "id", brief: "Id of the operation" },
  keyOf: (row: DelayRow) => row.id,
  list: {
    verb: "delays.list",
    brief: "Lists delayed operations, newest first",
    example: ["delays list --open", "delays list --safe 0x34065bf1fAb232fEd6B97992B4d00Cc6A31a35C3"],
    lead: "Withdrawals and other operations of Safes, which execute after their delay.",
    none: "There are no such operations.",
    hint: "A withdrawal or a new daily limit makes one.",
    filters: {
      status: {
        label: "Status",
        brief: "Only operations with this status",
        placeholder: "STATUS",
        values: listStates(delayMachine),
        isTab: true,
      },
      open: {
        label: "Open",
        brief: "Only operations that have not ended",
        placeholder: "yes",
        values: ["yes"],
        isSwitch: true,
      },
      safe: { label: "Safe", brief: "Only operations of this Safe", placeholder: "ADDRESS", schema: address },
      user: { label: "User", brief: "Only operations of the user with this id", placeholder: "ID" },
    },
    columns: [
      { name: "Operation", of: (row) => id(row.id, "delays") },
      { name: "Status", of: (row) => status(row.status) },
      {
        name: "What",
        of: ({ effect }) => amount(summariseEffect(effect, formatUnitsShort), summariseEffect(effect)),
        terminal: "elastic",
      },
      { name: "Safe", of: (row) => code(row.safeAddress), terminal: "optional" },
      { name: "Accepted", of: (row) => instant(row.createdAt), terminal: "optional" },
      { name: "Ready", of: (row) => instant(row.readyAt) },
    ],
    read: (ctx, { status: state, open, safe, user, ...position }) =>
      listOperations(ctx, {
        status: state,
        isOpenOnly: open !== null,
        safeAddress: safe === null ? null : address.parse(safe),
        userId: user,
        ...position,
      }),
  },
  show: {
    verb: "delays.show",
    brief: "Shows the timeline of one operation, from its acceptance to its end",
    example: "delays show 01J8Z2",
    title: "Operation",
    read: (ctx, key) => timeline(ctx, { id: key }),
    rowOf: ({ operation }) => operation,
    page: () => ({ without: ["Steps", "Next jobs", "Missing of the chain"] }),
    fields: (shown) => {
      const { operation, entries, jobs, chainFault } = shown;
      return [
        ["Operation", code(operation.id)],
        ["Status", [status(operation.status), ...(operation.reason === null ? [] : [text(operation.reason)])]],
        ...describeEffect(operation.effect).map(([name, words]) => [name, text(words)] as const),
        ["Safe", code(operation.safeAddress)],
        ["Delay module", code(operation.delayAddress)],
        ["User", id(operation.userId, "users")],
        ["Signer", code(operation.signer)],
        ["Request", code(operation.requestId)],
        ["Queue", text(describeQueue(shown))],
        ["Expires", instant(operation.expiresAt)],
        ["Steps", entries.map(describeEntry).map(({ at, word, facts }) => text(`${at}  ${word}  ${facts.join("; ")}`))],
        ["Next jobs", jobs.map((job) => id(job.id, "jobs"))],
        ["Missing of the chain", text(chainFault)],
      ];
    },
  },
});
