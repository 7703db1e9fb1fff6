import { enableWebhook } from "@cardkeep/domain/partners/partners/changePartner";
import { getDelivery, listDeliveries, replayDeliveries } from "@cardkeep/domain/partners/webhooks/listDeliveries";
import { formatMoment } from "@cardkeep/domain/core/wording";
import { z } from "zod";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { UsageError } from "./errors.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalSwitch, optionalText, parseBy, textArgument, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, type Text } from "./texts.ts";

const statuses = ["PENDING", "DELIVERED", "FAILED", "CANCELLED", "KEPT"] as const;

const renderDelivery = (delivery: Awaited<ReturnType<typeof getDelivery>>): Text =>
  renderFields([
    ["Id", delivery.id],
    ["Event", `${delivery.eventType} ${delivery.eventId}`],
    ["Partner", delivery.partnerId],
    ["User", delivery.userId],
    ["Sequence", String(delivery.sequence)],
    ["Status", delivery.status],
    ["Created", delivery.createdAt],
    ["Next try", delivery.status === "PENDING" ? delivery.nextAttemptAt : null],
    [
      "Attempts",
      delivery.log.map(
        ({ attempt, at, status, error, durationMs }) =>
          `${attempt}  ${formatMoment(at)}  ${status ?? error ?? "-"}  ${durationMs} ms`,
      ),
    ],
  ]);

const columns = [
  { title: "id" },
  { title: "partner", elastic: true },
  { title: "event" },
  { title: "sequence", align: "right" as const, optional: true },
  { title: "status" },
  { title: "tries", align: "right" as const },
  { title: "created" },
];

const parseInstant = parseBy(z.iso.datetime({ offset: true }).transform((text) => new Date(text)));

/** A flag with an instant as its value. */
const optionalInstant = (brief: string) =>
  ({ kind: "parsed", parse: parseInstant, optional: true, placeholder: "INSTANT", brief }) as const;

interface ListFlags {
  partner?: string;
  status?: (typeof statuses)[number];
  limit: number;
}

interface ReplayFlags {
  id?: string;
  partner?: string;
  from?: Date;
  until?: Date;
  all?: boolean;
}

/** The deliveries that the flags of `replay` name. @throws UsageError where they name none, or both kinds */
function selectReplay({ id, partner, from, until, all = false }: ReplayFlags) {
  const isSpan = partner !== undefined && from !== undefined && until !== undefined;
  if ((id !== undefined) === isSpan)
    throw new UsageError("Give either --id, or --partner together with --from and --until.");
  if (id !== undefined) return { id };
  if (isSpan) return { partnerId: partner, from, until, isAll: all };
  throw new UsageError("Give --partner together with --from and --until.");
}

export const webhooks = buildRouteMap({
  docs: { brief: "Deliveries of events to partners, kept for 30 days" },
  routes: {
    list: buildVerb({
      verb: "deliveries.list",
      brief: "Lists deliveries, newest first",
      example: ["webhooks list --status FAILED", "webhooks list --partner shop --json"],
      parameters: {
        flags: withJson({
          partner: optionalText("ID", "Only deliveries to this partner"),
          status: {
            kind: "enum",
            values: statuses,
            optional: true,
            placeholder: "STATUS",
            brief: "Only deliveries with this status",
          },
          limit,
        }),
      },
      run: async (cli: CliContext, { partner, status, limit: most }: ListFlags) => {
        const data = await listDeliveries(await cli.open(), {
          partnerId: partner ?? null,
          status: status ?? null,
          limit: most,
        });
        const rows = data.map((row) => [
          row.id,
          row.partnerId,
          row.eventType,
          String(row.sequence),
          row.status,
          String(row.attempts),
          row.createdAt,
        ]);
        return {
          data,
          text: joinTexts(
            renderTable(
              columns,
              rows,
              "There are no such deliveries. One needs a partner with a webhook and a person who subscribed it.",
            ),
            formatMoreHint(data, most),
          ),
        };
      },
    }),
    show: buildVerb({
      verb: "deliveries.show",
      brief: "Shows one delivery with each of its attempts",
      example: "webhooks show 01J8Z2",
      parameters: { flags: withJson({}), positional: textArgument("id", "Id of the delivery") },
      run: async (cli: CliContext, _: object, id: string) => {
        const data = await getDelivery(await cli.open(), { id });
        return { data, text: renderDelivery(data) };
      },
    }),
    replay: buildChange({
      verb: "deliveries.resend",
      brief: "Resends one delivery by id, or all undelivered ones of a partner between two instants",
      example: "webhooks replay --partner shop --from 2030-01-01T00:00:00Z --until 2030-01-02T00:00:00Z",
      parameters: {
        flags: withReason({
          id: optionalText("ID", "Resend this delivery"),
          partner: optionalText("ID", "Resend deliveries of this partner, with --from and --until"),
          from: optionalInstant("Resend events from this instant on, such as 2030-01-01T00:00:00Z"),
          until: optionalInstant("Resend events before this instant"),
          all: optionalSwitch("Resend delivered ones too"),
        }),
      },
      run: async (cli: CliContext, flags: ReplayFlags) => {
        const replay = selectReplay(flags);
        const data = await replayDeliveries(await cli.open(), replay);
        return {
          data,
          text: `${data.replayed} ${data.replayed === 1 ? "delivery is" : "deliveries are"} to be sent again.\n`,
        };
      },
    }),
    enable: buildChange({
      verb: "webhooks.enable",
      brief: "Enables the disabled webhook of a partner and sends its kept events",
      example: "webhooks enable shop",
      parameters: { flags: withReason({}), positional: textArgument("partner", "Id of the partner") },
      run: async (cli: CliContext, _: object, partner: string) => {
        await enableWebhook(await cli.open(), { id: partner });
        const data = { partnerId: partner, webhookStatus: "ACTIVE" };
        return { data, text: `The webhook of ${partner} is enabled again.\n` };
      },
    }),
  },
});
