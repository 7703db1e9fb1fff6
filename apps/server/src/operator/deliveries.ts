/** Events on their way to partners: who is behind, each attempt, and how they are sent again. */
import { fail } from "@cardkeep/contract/errors";
import { deliveryStatuses } from "@cardkeep/db/schema/webhooks";
import { getDelivery, listBacklogs, listDeliveries, replayDeliveries } from "@cardkeep/domain/webhooks/log";
import { z } from "zod";
import { markup, type Html } from "@cardkeep/html/markup";
import { type Action, linkTo, readChoice, readPlace, type ShowPage, splitPage } from "./page.ts";
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
    <summary>Send a span of time again</summary>
    <form method="post" action="/operator/deliveries/replay">
      <label>Partner
        <select name="partner">
          ${backlogs.map(
            (backlog) =>
              markup`<option value="${backlog.partnerId}"${backlog.partnerId === partnerId && markup` selected`}>${backlog.name}</option>`,
          )}
        </select></label
      >
      <label>Made from, in UTC <input name="from" type="datetime-local" required /></label>
      <label>Made before, in UTC <input name="until" type="datetime-local" required /></label>
      <label class="check"><input name="all" type="checkbox" /> Those that arrived, too</label>
      <button>Send again</button>
    </form>
  </details>`;

export const showDeliveries: ShowPage = async (visit) => {
  const status = readChoice(visit, "status", deliveryStatuses);
  const partnerId = visit.query.get("partner");
  const [backlogs, rows] = await Promise.all([
    listBacklogs(visit.ctx, { limit: backlogsMax }),
    listDeliveries(visit.ctx, { partnerId, status, ...readPlace(visit) }),
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
      <h2>${partnerId === null ? "Log" : markup`Log of ${partnerId}`}</h2>
      ${partnerId !== null && markup`<p class="lead"><a href="/operator/deliveries">Of all partners</a></p>`}
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
      ${renderAction(`/operator/deliveries/${delivery.id}/replay`, "Send it again")}
      <h2>Attempts</h2>
      ${renderTable(["Attempt", "At", "Answer", "Took"], attempts, "None was made.")}`,
  };
};

export const replayOne: Action = async ({ ctx, params }) => {
  const id = params["id"] ?? "";
  const { replayed } = await replayDeliveries(ctx, { id });
  return linkTo(`/operator/deliveries/${id}`, { done: "replayed", count: replayed });
};

/** What `datetime-local` sends, which knows no zone: here it is UTC. */
const localInstant = z.iso.datetime({ local: true, precision: -1 }).transform((text) => new Date(`${text}Z`));

const span = z.object({
  partner: z.string(),
  from: localInstant,
  until: localInstant,
  all: z.literal("on").optional(),
});

export const replaySpan: Action = async ({ ctx, form }) => {
  const read = span.safeParse(Object.fromEntries(form));
  if (!read.success) return fail("request.invalid", { text: "A span of time is from one instant until another" });
  const { partner: partnerId, from, until, all } = read.data;
  const { replayed } = await replayDeliveries(ctx, { partnerId, from, until, isAll: all === "on" });
  return linkTo("/operator/deliveries", { partner: partnerId, done: "replayed", count: replayed });
};
