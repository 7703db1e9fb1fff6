/** One partner: domains, endpoint, keys, and what may be done to it. */
import { formatAge } from "@cardkeep/contract/core/durations";
import { listAttemptHours, listSuccessRates } from "@cardkeep/domain/operations/health/measureDeliveries";
import { getPartner, type PartnerDetails } from "@cardkeep/domain/partners/partners/getPartner";
import { describePartnerUse, type PartnerKeyFacts } from "@cardkeep/domain/partners/partners/describePartnerUse";
import { markup, type Part } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { formatRate } from "../operations/deliveries.ts";
import { renderForeign } from "../page/foreignText.ts";
import { buildAttemptChart } from "../overviewCharts.ts";
import { linkTo, may, type ShowPage, type Table, type Visit } from "../page/page.ts";
import { renderCode, renderCount, renderFields, renderStatus } from "../page/parts.ts";
import { renderPartnerActions } from "./partnerActions.ts";
import { readHost } from "./partners.ts";
import { buildTable } from "../page/table.ts";

const chartHours = 24;

const listFields = (visit: Visit, partner: PartnerDetails): (readonly [string, Part])[] => {
  const isTrusted = may(visit, "partners.change");
  return [
    ["Id", renderCode(partner.id)],
    ["Name", renderForeign(partner.name)],
    ["Status", renderStatus(partner.status)],
    ["Domains", partner.domains.length === 0 ? "none" : partner.domains.map((domain) => markup`<p>${domain}</p>`)],
    ["Users who signed up", renderCount(partner.users)],
    ["Endpoint", (isTrusted ? partner.webhookUrl : readHost(partner.webhookUrl)) ?? "none: it pulls its events"],
    ["Endpoint is", markup`${renderStatus(partner.webhookStatus)} ${partner.webhookReason}`],
    ["Every attempt fails since", renderTime(partner.failingSince)],
    ["No attempt before", renderTime(partner.pausedUntil)],
    ["Deliveries carry", partner.payload === "full" ? "the whole event" : "the user's id"],
    ["Kinds of events", partner.hasAllEvents ? "all" : "the published ones"],
    ["Mail when the endpoint is disabled", isTrusted ? (partner.contact ?? "none") : partner.contact ? "set" : "none"],
    ["Created", renderTime(partner.createdAt)],
  ];
};

const buildKeys = (visit: Visit, keys: readonly PartnerKeyFacts[], now: Date): Table => {
  const ageOf = (at: Date): string => formatAge(Math.max(0, (now.getTime() - at.getTime()) / 1000));
  return buildTable(visit, {
    name: "keys",
    none: "It has no valid key.",
    rows: keys,
    columns: [
      { name: "Key", text: ({ id }) => id, cell: ({ id }) => renderCode(id) },
      { name: "Is", text: ({ kind }) => (kind === "api" ? "API key" : "webhook secret") },
      { name: "Created", text: ({ createdAt }) => createdAt },
      { name: "Age", text: ({ createdAt }) => ageOf(createdAt) },
      {
        name: "Last use",
        text: ({ usedAt }) => usedAt,
        cell: ({ kind, usedAt }) => {
          if (kind === "secret") return "signs each delivery";
          return usedAt === null ? "not known" : `${ageOf(usedAt)} ago`;
        },
      },
      {
        name: "Valid until",
        text: ({ expiresAt }) => expiresAt,
        cell: ({ expiresAt }) => (expiresAt === null ? "it is replaced" : renderTime(expiresAt)),
      },
    ],
  });
};

export const showPartner: ShowPage = async (visit) => {
  const { ctx, params } = visit;
  const partner = await getPartner(ctx, { id: params["id"] ?? "" });
  const [use, hours, rates] = await Promise.all([
    describePartnerUse(ctx, partner),
    listAttemptHours(ctx, { partnerId: partner.id, count: chartHours }),
    listSuccessRates(ctx, { partnerIds: [partner.id] }),
  ]);
  const attempts = buildAttemptChart(visit, hours);
  const keys = buildKeys(visit, use.keys, use.now);
  const { day, week } = rates.get(partner.id) ?? {};
  return {
    title: "Partner",
    body: markup`${renderFields([
      ...listFields(visit, partner),
      ["Subscriptions", `${renderCount(use.subscriptions)}${use.isCut ? " or more" : ""}`],
      ["Success of a day", formatRate(day) ?? "no attempt"],
      ["Success of a week", formatRate(week) ?? "no attempt"],
    ])}
      <p class="pager"><a href="${linkTo("/operator/deliveries", { partner: partner.id })}">Deliveries</a></p>
      ${attempts}
      <h2>Keys</h2>
      <p class="lead">A key is shown once, when it is made. The service keeps a hash of API keys and seals secrets.</p>
      ${keys} ${renderPartnerActions(visit, partner)}`,
    tables: [keys, attempts],
  };
};
