/** Deliveries to partners: endpoints with a backlog, each attempt, and resending. */
import { fail } from "@cardkeep/contract/errors";
import { deliveryStatuses } from "@cardkeep/db/schema/deliveries";
import { getDelivery, listBacklogs, listDeliveries, replayDeliveries } from "@cardkeep/domain/webhooks/listDeliveries";
import { z } from "zod";
import { markup, type Html } from "@cardkeep/html/markup";
import { type Action, linkTo, readChoice, readPosition, type ShowPage, splitPage } from "./page.ts";
import {
  renderAction,
  renderCode,
  renderFields,
  renderIdLink,
  renderInstant,
  renderPager,
  renderStatus,
  renderTable,
  renderTabs,
} from "./parts.ts";

type Backlogs = Awaited<ReturnType<typeof listBacklogs>>;

const backlogsMax = 100;

const renderBacklogs = (backlogs: Backlogs): Html =>
  renderTable(
    ["Partner", "Endpoint", "Pending", "Failed"],
    backlogs.map(({ partnerId, name, webhookStatus, webhookReason, pending, failed }) => {
      const link = (status: string, count: number) =>
        count === 0
          ? "0"
          : markup`<a href="${linkTo("/operator/deliveries", { partner: partnerId, status })}">${count}</a>`;
      return [
        markup`<a href="${linkTo("/operator/deliveries", { partner: partnerId })}">${name}</a>`,
        markup`${renderStatus(webhookStatus)} ${webhookReason}`,
        link("PENDING", pending),
        link("FAILED", failed),
      ];
    }),
    "No partner has an endpoint.",
  );

const renderReplay = (backlogs: Backlogs, partnerId: string | null): Html =>
  markup`<details class="replay">
    <summary>Resend deliveries of a period</summary>
    <form method="post" action="/operator/deliveries/replay">
      <label>Partner
        <select name="partner">
          ${backlogs.map(
            (backlog) =>
              markup`<option value="${backlog.partnerId}"${backlog.partnerId === partnerId && markup` selected`}>${backlog.name}</option>`,
          )}
        </select></label
      >
      <label>Created from, in UTC <input name="from" type="datetime-local" required /></label>
      <label>Created before, in UTC <input name="until" type="datetime-local" required /></label>
      <label class="check"><input name="all" type="checkbox" /> Include those that arrived</label>
      <button>Send again</button>
    </form>
  </details>`;

export const showDeliveries: ShowPage = async (visit) => {
  const status = readChoice(visit, "status", deliveryStatuses);
  const partnerId = visit.query.get("partner");
  const [backlogs, rows] = await Promise.all([
    listBacklogs(visit.ctx, { limit: backlogsMax }),
    listDeliveries(visit.ctx, { partnerId, status, ...readPosition(visit) }),
  ]);
  const { shown, last } = splitPage(rows);
  const deliveries = shown.map((row) => [
    renderIdLink("/operator/deliveries", row.id),
    renderCode(row.partnerId),
    row.eventType,
    String(row.sequence),
    renderStatus(row.status),
    row.attempts,
    renderInstant(row.createdAt),
  ]);
  return {
    title: "Deliveries",
    body: markup`<h2>Partners</h2>
      ${renderBacklogs(backlogs)} ${backlogs.length > 0 && renderReplay(backlogs, partnerId)}
      <h2>${partnerId === null ? "Log" : markup`Deliveries of ${partnerId}`}</h2>
      ${partnerId !== null && markup`<p class="lead"><a href="/operator/deliveries">All partners</a></p>`}
      ${renderTabs(visit, "status", deliveryStatuses, status)}
      ${renderTable(["Delivery", "Partner", "Event", "Sequence", "Status", "Tries", "Created"], deliveries, "There are no such deliveries.")}
      ${renderPager(visit, last)}`,
  };
};

export const showDelivery: ShowPage = async ({ ctx, params }) => {
  const delivery = await getDelivery(ctx, { id: params["id"] ?? "" });
  const attempts = delivery.log.map(({ attempt, at, status, error, durationMs }) => [
    attempt,
    renderInstant(at),
    status === null ? (error ?? "–") : markup`<span class="status s${Math.floor(status / 100)}">${status}</span>`,
    `${durationMs} ms`,
  ]);
  return {
    title: "Delivery",
    body: markup`${renderFields([
      ["Id", renderCode(delivery.id)],
      ["Event", markup`${delivery.eventType} ${renderCode(delivery.eventId)}`],
      [
        "Partner",
        markup`<a href="${linkTo("/operator/deliveries", { partner: delivery.partnerId })}">${delivery.partnerId}</a>`,
      ],
      ["User", renderIdLink("/operator/users", delivery.userId)],
      ["Sequence", String(delivery.sequence)],
      ["Status", renderStatus(delivery.status)],
      ["Created", renderInstant(delivery.createdAt)],
      ["Next try", delivery.status === "PENDING" ? renderInstant(delivery.nextAttemptAt) : "–"],
    ])}
      ${renderAction(`/operator/deliveries/${delivery.id}/replay`, "Resend")}
      <h2>Attempts</h2>
      ${renderTable(["Attempt", "At", "Answer", "Took"], attempts, "No attempt yet.")}`,
  };
};

export const replayOne: Action = async ({ ctx, params }) => {
  const id = params["id"] ?? "";
  const { replayed } = await replayDeliveries(ctx, { id });
  return linkTo(`/operator/deliveries/${id}`, { done: "replayed", count: replayed });
};

/** `datetime-local` sends no zone; the page reads it as UTC. */
const localInstant = z.iso.datetime({ local: true, precision: -1 }).transform((text) => new Date(`${text}Z`));

const span = z.object({
  partner: z.string(),
  from: localInstant,
  until: localInstant,
  all: z.literal("on").optional(),
});

export const replaySpan: Action = async ({ ctx, form }) => {
  const read = span.safeParse(Object.fromEntries(form));
  if (!read.success) return fail("request.invalid", { text: "A period needs a start and an end" });
  const { partner: partnerId, from, until, all } = read.data;
  const { replayed } = await replayDeliveries(ctx, { partnerId, from, until, isAll: all === "on" });
  return linkTo("/operator/deliveries", { partner: partnerId, done: "replayed", count: replayed });
};
