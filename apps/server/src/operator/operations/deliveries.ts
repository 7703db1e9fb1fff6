/** Endpoints with their backlog and success, above the list of deliveries. */
import {
  listAttemptHours,
  listSuccessRates,
  type SuccessRates,
} from "@cardkeep/domain/operations/health/measureDeliveries";
import { listBacklogs } from "@cardkeep/domain/partners/webhooks/listDeliveries";
import { formatRate } from "@cardkeep/desk/nouns/partnerTables";
import type { Row } from "@cardkeep/desk/noun";
import { markup, type Part } from "@cardkeep/html/markup";
import { buildAttemptChart } from "../overviewCharts.ts";
import { type Beside, linkTo, may, readText, type Visit } from "../page/page.ts";
import { renderStatus } from "../page/parts.ts";
import { buildTable, type Column } from "../page/table.ts";

type Backlogs = (Awaited<ReturnType<typeof listBacklogs>>[number] & { rates: SuccessRates | undefined })[];

const backlogsMax = 100;
const chartHours = 24;

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

export async function renderEndpoints(visit: Visit): Promise<Beside> {
  const partnerId = readText(visit, "partner");
  const [known, hours] = await Promise.all([
    listBacklogs(visit.ctx, { limit: backlogsMax }),
    listAttemptHours(visit.ctx, { partnerId, count: chartHours }),
  ]);
  const rates = await listSuccessRates(visit.ctx, { partnerIds: known.map((backlog) => backlog.partnerId) });
  const backlogs = known.map((backlog) => ({ ...backlog, rates: rates.get(backlog.partnerId) }));
  const attempts = buildAttemptChart(visit, hours);
  const partners = buildTable(visit, { ...backlogTable, rows: backlogs });
  const before = markup`<h2>Partners</h2>
    ${partners} ${backlogs.length > 0 && may(visit, "deliveries.preview") && markup`<p class="pager"><a href="${linkTo("/operator/deliveries/resend", { partner: partnerId })}">Resend deliveries of a period</a></p>`}
    <h2>${partnerId === null ? "Log" : markup`Deliveries of ${partnerId}`}</h2>
    ${attempts}`;
  return { before, tables: [partners, attempts], hasOwnForms: true };
}

/** The attempts at one partner's endpoint. */
export async function renderAttempts(visit: Visit, { key: partner }: Row): Promise<Beside> {
  const attempts = buildAttemptChart(
    visit,
    await listAttemptHours(visit.ctx, { partnerId: partner, count: chartHours }),
  );
  const before = markup`<p class="pager"><a href="${linkTo("/operator/deliveries", { partner })}">Deliveries</a></p> ${attempts}`;
  return { before, tables: [attempts] };
}
