/** Partners: who may sign people in and receives events, and how their endpoints fare. */
import { listSuccessRates, type SuccessRates } from "@cardkeep/domain/operations/health/measureDeliveries";
import { listPartners } from "@cardkeep/domain/partners/partners/getPartner";
import { markup } from "@cardkeep/html/markup";
import { formatRate } from "../operations/deliveries.ts";
import { readForeign, renderForeign } from "../page/foreignText.ts";
import type { ShowPage } from "../page/page.ts";
import { renderStatus } from "../page/parts.ts";
import { buildList, type Column } from "../page/table.ts";

type Row = Awaited<ReturnType<typeof listPartners>>[number] & { rates: SuccessRates | undefined };

/** The path of an endpoint may hold a secret. */
export const readHost = (webhookUrl: string | null): string | null =>
  webhookUrl === null ? null : new URL(webhookUrl).host;

const columns: readonly Column<Row>[] = [
  {
    name: "Partner",
    text: ({ id }) => id,
    cell: ({ id }) => markup`<a href="/operator/partners/${encodeURIComponent(id)}">${id}</a>`,
  },
  { name: "Name", text: ({ name }) => readForeign(name), cell: ({ name }) => renderForeign(name) },
  { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
  { name: "Domains", text: ({ domains }) => domains.join(" ") },
  { name: "Endpoint", text: ({ webhookUrl }) => readHost(webhookUrl) },
  {
    name: "Endpoint is",
    text: ({ webhookUrl, webhookStatus }) => (webhookUrl === null ? null : webhookStatus),
    cell: ({ webhookUrl, webhookStatus }) => renderStatus(webhookUrl === null ? null : webhookStatus),
  },
  { name: "Success, day", text: ({ rates }) => formatRate(rates?.day) },
  { name: "Success, week", text: ({ rates }) => formatRate(rates?.week) },
  { name: "Created", text: ({ createdAt }) => createdAt },
];

export const showPartners: ShowPage = async (visit) => {
  const partners = await buildList(visit, {
    name: "partners",
    none: "There are no partners.",
    columns,
    keyOf: ({ id }) => id,
    read: async (position) => {
      const rows = await listPartners(visit.ctx, position);
      const rates = await listSuccessRates(visit.ctx, { partnerIds: rows.map(({ id }) => id) });
      return rows.map((row) => ({ ...row, rates: rates.get(row.id) }));
    },
  });
  return { title: "Partners", body: markup`${partners}`, tables: [partners] };
};
