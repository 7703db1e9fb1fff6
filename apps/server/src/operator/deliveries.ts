/** Deliveries to partners: endpoints with a backlog, each attempt, and resending. */
import { fail } from "@cardkeep/contract/errors";
import { deliveryStatuses } from "@cardkeep/db/schema/deliveries";
import { listSuccessRates, type SuccessRates } from "@cardkeep/domain/health/measureDeliveries";
import { getDelivery, listBacklogs, listDeliveries, replayDeliveries } from "@cardkeep/domain/webhooks/listDeliveries";
import { z } from "zod";
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import { type Action, linkTo, may, readChoice, readText, type ShowPage } from "./page.ts";
import {
  renderAction,
  renderCode,
  renderFields,
  renderIdLink,
  renderInstant,
  renderStatus,
  renderTabs,
} from "./parts.ts";
import { buildList, buildTable, type Column } from "./table.ts";

type Backlogs = (Awaited<ReturnType<typeof listBacklogs>>[number] & { rates: SuccessRates | undefined })[];
type DeliveryRow = Awaited<ReturnType<typeof listDeliveries>>[number];

const backlogsMax = 100;

/** The share of attempts that succeeded; null without attempts. */
function formatRate(sum: SuccessRates["day"] | undefined): string | null {
  if (!sum || sum.succeeded + sum.failed === 0) return null;
  return `${((100 * sum.succeeded) / (sum.succeeded + sum.failed)).toFixed(1)}%`;
}

const linkToCount = (partner: string, status: string, count: number): Part =>
  count === 0 ? "0" : markup`<a href="${linkTo("/operator/deliveries", { partner, status })}">${count}</a>`;

const backlogTable = {
  name: "partners",
  none: "No partner has an endpoint.",
  columns: [
    {
      name: "Partner",
      text: ({ name }) => name,
      cell: ({ partnerId, name }) =>
        markup`<a href="${linkTo("/operator/deliveries", { partner: partnerId })}">${name}</a>`,
    },
    {
      name: "Endpoint",
      text: ({ webhookStatus, webhookReason }) => [webhookStatus, webhookReason].join(" ").trim(),
      cell: ({ webhookStatus, webhookReason }) => markup`${renderStatus(webhookStatus)} ${webhookReason}`,
    },
    {
      name: "Pending",
      text: ({ pending }) => pending,
      cell: ({ partnerId, pending }) => linkToCount(partnerId, "PENDING", pending),
    },
    {
      name: "Failed",
      text: ({ failed }) => failed,
      cell: ({ partnerId, failed }) => linkToCount(partnerId, "FAILED", failed),
    },
    { name: "Success, day", text: ({ rates }) => formatRate(rates?.day) },
    { name: "Success, week", text: ({ rates }) => formatRate(rates?.week) },
  ] satisfies readonly Column<Backlogs[number]>[],
};

const deliveryTable = {
  name: "deliveries",
  none: "There are no such deliveries.",
  columns: [
    { name: "Delivery", text: ({ id }) => id, cell: ({ id }) => renderIdLink("/operator/deliveries", id) },
    { name: "Partner", text: ({ partnerId }) => partnerId, cell: ({ partnerId }) => renderCode(partnerId) },
    { name: "Event", text: ({ eventType }) => eventType },
    { name: "Sequence", text: ({ sequence }) => sequence },
    { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
    { name: "Tries", text: ({ attempts }) => attempts },
    { name: "Created", text: ({ createdAt }) => createdAt },
  ] satisfies readonly Column<DeliveryRow>[],
};

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
  const partnerId = readText(visit, "partner");
  const [known, deliveries] = await Promise.all([
    listBacklogs(visit.ctx, { limit: backlogsMax }),
    buildList(visit, {
      ...deliveryTable,
      keyOf: ({ id }) => id,
      read: (position) => listDeliveries(visit.ctx, { partnerId, status, ...position }),
    }),
  ]);
  const rates = await listSuccessRates(visit.ctx, { partnerIds: known.map((backlog) => backlog.partnerId) });
  const backlogs = known.map((backlog) => ({ ...backlog, rates: rates.get(backlog.partnerId) }));
  const partners = buildTable(visit, { ...backlogTable, rows: backlogs });
  return {
    title: "Deliveries",
    body: markup`<h2>Partners</h2>
      ${partners} ${backlogs.length > 0 && may(visit, "deliveries.resend") && renderReplay(backlogs, partnerId)}
      <h2>${partnerId === null ? "Log" : markup`Deliveries of ${partnerId}`}</h2>
      ${partnerId !== null && markup`<p class="lead"><a href="/operator/deliveries">All partners</a></p>`}
      ${renderTabs(visit, "status", deliveryStatuses, status)} ${deliveries}`,
    tables: [deliveries, partners],
  };
};

export const showDelivery: ShowPage = async (visit) => {
  const { ctx, params } = visit;
  const delivery = await getDelivery(ctx, { id: params["id"] ?? "" });
  const attempts = buildTable(visit, {
    name: "attempts",
    rows: delivery.log,
    none: "No attempt yet.",
    columns: [
      { name: "Attempt", text: ({ attempt }) => attempt },
      { name: "At", text: ({ at }) => at },
      {
        name: "Answer",
        text: ({ status, error }) => status ?? error,
        cell: ({ status, error }) =>
          status === null ? (error ?? "–") : markup`<span class="status s${Math.floor(status / 100)}">${status}</span>`,
      },
      { name: "Took in ms", text: ({ durationMs }) => durationMs },
    ],
  });
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
      ${may(visit, "deliveries.resend") && renderAction(`/operator/deliveries/${delivery.id}/replay`, "Resend")}
      <h2>Attempts</h2>
      ${attempts}`,
    tables: [attempts],
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
