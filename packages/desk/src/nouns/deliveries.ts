import { givenInstant } from "@cardkeep/contract/core/instantOrDate";
import { listStates } from "@cardkeep/contract/core/machine";
import { deliveryMachine } from "@cardkeep/contract/partners/deliveries";
import { formatMoment } from "@cardkeep/domain/core/wording";
import {
  type DeliveryDetails,
  getDelivery,
  listDeliveries,
  replayDeliveries,
} from "@cardkeep/domain/partners/webhooks/listDeliveries";
import { z } from "zod";
import { Answered, defineNoun } from "../defineNoun.ts";
import { readBySchema } from "../input.ts";
import { code, count, id, instant, status, text } from "../value.ts";

const toInstant = givenInstant().transform((words) => new Date(words));
const span = readBySchema(
  z.object({ partner: z.string(), from: toInstant, until: toInstant, all: z.literal("yes").optional() }),
  (_, given) => given,
);

export const deliveries = defineNoun({
  name: "deliveries",
  title: "Deliveries",
  group: "Operations",
  brief: "Deliveries of events to partners, kept for 30 days",
  argument: { name: "id", brief: "Id of the delivery" },
  keyOf: (row: Omit<DeliveryDetails, "log" | "hold">) => row.id,
  list: {
    verb: "deliveries.list",
    brief: "Lists deliveries, newest first",
    example: ["webhooks list --status FAILED", "webhooks list --partner shop --json"],
    lead: "What partners get of their subscribers' events.",
    none: "There are no such deliveries.",
    hint: "One needs a partner with a webhook and a person who subscribed it.",
    filters: {
      status: {
        label: "Status",
        brief: "Only deliveries with this status",
        placeholder: "STATUS",
        values: listStates(deliveryMachine),
        isTab: true,
      },
      partner: { label: "Partner", brief: "Only deliveries to this partner", placeholder: "ID" },
    },
    columns: [
      { name: "Delivery", of: (row) => id(row.id, "deliveries") },
      { name: "Partner", of: (row) => code(row.partnerId), terminal: "elastic" },
      { name: "Event", of: (row) => text(row.eventType) },
      { name: "Sequence", of: (row) => count(row.sequence), isRight: true, terminal: "optional" },
      { name: "Status", of: (row) => status(row.status) },
      { name: "Tries", of: (row) => count(row.attempts), isRight: true },
      { name: "Created", of: (row) => instant(row.createdAt) },
    ],
    read: (ctx, { partner, status: state, ...position }) =>
      listDeliveries(ctx, { partnerId: partner, status: state, ...position }),
  },
  show: {
    verb: "deliveries.show",
    brief: "Shows one delivery with each of its attempts",
    example: "webhooks show 01J8Z2",
    title: "Delivery",
    read: (ctx, key) => getDelivery(ctx, { id: key }),
    rowOf: (shown) => shown,
    page: ({ log }) => ({
      without: ["Attempts"],
      tables: [
        {
          name: "attempts",
          title: "Attempts",
          none: "No attempt yet.",
          columns: ["Attempt", "At", "Answer", "Error", "Took in ms"],
          rows: log.map(({ attempt, at, status: answer, error, durationMs }) => [
            count(attempt),
            instant(at),
            text(answer === null ? "none" : String(answer)),
            text(error),
            count(durationMs),
          ]),
        },
      ],
    }),
    fields: (row) => [
      ["Id", code(row.id)],
      ["Event", text(`${row.eventType} ${row.eventId}`)],
      ["Partner", id(row.partnerId, "partners")],
      ["User", id(row.userId, "users")],
      ["Sequence", count(row.sequence)],
      ["Status", status(row.status)],
      ["Created", instant(row.createdAt)],
      ["Ended", instant(row.endedAt)],
      ["Next try", instant(row.status === "PENDING" ? row.nextAttemptAt : null)],
      [
        "Attempts",
        row.log.map(({ attempt, at, status: answer, error, durationMs }) =>
          text(`${attempt}  ${formatMoment(at)}  ${answer ?? error ?? "-"}  ${durationMs} ms`),
        ),
      ],
    ],
  },
  acts: {
    resend: {
      verb: "deliveries.resend",
      brief: "Resends one delivery with the same id",
      done: () => "1 delivery is to be sent again. Its attempts show what became of it.",
      example: "webhooks replay --id 01J8Z2",
      offer: () => ({
        label: "Resend",
        consequence:
          "The endpoint gets the same body under the same id again. A partner that keeps the ids ignores it.",
      }),
      run: async (ctx, key) => {
        await replayDeliveries(ctx, { id: key });
        return getDelivery(ctx, { id: key });
      },
    },
    "resend-span": {
      verb: "deliveries.resend",
      brief: "Resends the undelivered deliveries of a partner between two instants, or all of them",
      example: "webhooks replay --partner shop --from 2030-01-01T00:00:00Z --until 2030-01-02T00:00:00Z",
      isKeyless: true,
      needsReason: true,
      done: (sent) => `${sent} deliveries are to be sent again. Their status shows which have arrived.`,
      inputs: {
        partner: { label: "Partner", brief: "Id of the partner", placeholder: "ID", isRequired: true },
        from: {
          label: "Created from",
          brief: "Resend events from this instant on, such as 2030-01-01T00:00:00Z",
          placeholder: "INSTANT",
          calendar: "instant",
          isRequired: true,
        },
        until: {
          label: "Created before",
          brief: "Resend events before this instant",
          placeholder: "INSTANT",
          calendar: "instant",
          isRequired: true,
        },
        all: {
          label: "Include those that arrived",
          brief: "Resend delivered ones too",
          placeholder: "yes",
          values: ["yes"],
          isSwitch: true,
        },
      },
      check: span.check,
      run: async (ctx, _, given) => {
        const { partner: partnerId, from, until, all } = span.parse("", given);
        const { replayed } = await replayDeliveries(ctx, { partnerId, from, until, isAll: all !== undefined });
        return new Answered(partnerId, { replayed }, [["To be sent again", count(replayed)]]);
      },
    },
  },
});
