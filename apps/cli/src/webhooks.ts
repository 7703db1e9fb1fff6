import { enableWebhook } from "@cardkeep/domain/partners/enableWebhook";
import { getDelivery, listDeliveries, replayDeliveries } from "@cardkeep/domain/webhooks/log";
import { formatInstant, formatMoment } from "@cardkeep/domain/wording";
import { z } from "zod";
import { type Answer, defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, formatMoreHint } from "./lists.ts";
import { renderFields, renderTable } from "./print.ts";
import { UsageError } from "./usageError.ts";

const statuses = ["PENDING", "DELIVERED", "FAILED", "CANCELLED", "KEPT"] as const;

const renderDelivery = (delivery: Awaited<ReturnType<typeof getDelivery>>): string =>
  renderFields([
    ["Id", delivery.id],
    ["Event", `${delivery.eventType} ${delivery.eventId}`],
    ["Partner", delivery.partnerId],
    ["User", delivery.userId],
    ["Sequence", String(delivery.sequence)],
    ["Status", delivery.status],
    ["Created", formatInstant(delivery.createdAt)],
    ["Next try", delivery.status === "PENDING" ? formatInstant(delivery.nextAttemptAt) : "-"],
    [
      "Attempts",
      delivery.log.map(
        ({ attempt, at, status, error, durationMs }) =>
          `${attempt}  ${formatMoment(at)}  ${status ?? error ?? "-"}  ${durationMs} ms`,
      ),
    ],
  ]);

const answerReplayed = (data: { replayed: number }): Answer => ({
  data,
  text: `${data.replayed} ${data.replayed === 1 ? "delivery" : "deliveries"} sent again.\n`,
});

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const webhooks: Noun = {
  summary: "Events on their way to partners; 30 days of them are kept",
  verbs: {
    list: defineCommand({
      summary: "Deliveries, newest first",
      flags: {
        partner: { kind: "text", value: "ID", summary: "Of one partner" },
        status: { kind: "text", value: "STATUS", summary: statuses.join(", ") },
        limit: limitFlag,
      },
      input: z.object({ partner: z.string().optional(), status: z.enum(statuses).optional(), limit }),
      run: async (session, { partner, status, limit: most }) => {
        const ctx = await session.open();
        const data = await listDeliveries(ctx, {
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
          formatInstant(row.createdAt),
        ]);
        const columns = [
          { title: "id" },
          { title: "partner", elastic: true },
          { title: "event" },
          { title: "sequence", align: "right" as const },
          { title: "status" },
          { title: "tries", align: "right" as const },
          { title: "created" },
        ];
        return { data, text: renderTable(columns, rows, "There are no such deliveries.") + formatMoreHint(data, most) };
      },
    }),
    show: defineCommand({
      summary: "One delivery with each of its attempts",
      takes: ["id"],
      input: z.object({ id: z.string() }),
      run: async (session, input) => {
        const data = await getDelivery(await session.open(), input);
        return { data, text: renderDelivery(data) };
      },
    }),
    replay: defineCommand({
      summary: "Sends deliveries again with their ids: one, or a partner's of a span of time that never arrived",
      flags: {
        id: { kind: "text", value: "ID", summary: "One delivery" },
        partner: { kind: "text", value: "ID", summary: "Every delivery of this partner ..." },
        from: { kind: "text", value: "INSTANT", summary: "... made from here on, as 2030-01-01T00:00:00Z" },
        until: { kind: "text", value: "INSTANT", summary: "... and before here" },
        all: { kind: "switch", summary: "... those that arrived too" },
      },
      input: z.object({
        id: z.string().optional(),
        partner: z.string().optional(),
        from: instant.optional(),
        until: instant.optional(),
        all: z.boolean().default(false),
      }),
      run: async (session, { id, partner, from, until, all: isAll }) => {
        const isSpan = partner !== undefined && from !== undefined && until !== undefined;
        if ((id !== undefined) === isSpan)
          throw new UsageError("give either --id, or --partner with --from and --until");
        const replay = id !== undefined ? { id } : isSpan ? { partnerId: partner, from, until, isAll } : null;
        if (replay === null) throw new UsageError("give --partner together with --from and --until");
        return answerReplayed(await replayDeliveries(await session.open(), replay));
      },
    }),
    enable: defineCommand({
      summary: "Has a partner's disabled webhook written to again; what was kept back is sent",
      takes: ["partner"],
      input: z.object({ partner: z.string() }),
      run: async (session, { partner }) => {
        await enableWebhook(await session.open(), { id: partner });
        return { data: { partnerId: partner, webhookStatus: "ACTIVE" }, text: `${partner} is written to again.\n` };
      },
    }),
  },
};
