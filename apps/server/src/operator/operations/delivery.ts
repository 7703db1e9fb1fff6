/** One delivery as the partner's own portal would show it: what it carries, each answer, and the next try. */
import {
  type DeliveryDetails,
  type DeliveryRequestFacts,
  getDelivery,
  getDeliveryRequest,
} from "@cardkeep/domain/partners/webhooks/listDeliveries";
import { deliveries } from "@cardkeep/desk/nouns/deliveries";
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { drawAttempts } from "@cardkeep/html/pictures/attempts";
import { renderFigure } from "@cardkeep/html/pictures/figure";
import { renderLegend } from "@cardkeep/html/pictures/legend";
import { renderActs } from "../deskForms.ts";
import { buildParts, renderNamed } from "../deskTable.ts";
import { may, type ShowPage } from "../page/page.ts";
import { renderCode, renderFields } from "../page/parts.ts";

const indent = 2;

const renderRequest = ({ body, host, headers }: DeliveryRequestFacts): Html =>
  markup`<h2>Request</h2>
    <p class="lead">POST to ${host ?? "no endpoint: the partner pulls it"}. Each attempt adds a timestamp and its signatures:
      <code>webhook-signature</code> over id, timestamp and body, and <code>X-Webhook-Signature</code> over timestamp and body.</p>
    ${renderFields(Object.entries(headers).map(([name, value]) => [name, renderCode(value)]))}
    <figure class="panel"><figcaption>Body</figcaption><pre tabindex="0">${JSON.stringify(JSON.parse(body), null, indent)}</pre></figure>`;

/** Everyone else sees that it exists. */
const hiddenRequest = markup`<h2>Request</h2>
  <p class="none">What it carries may be people's data. The roles support and compliance see it.</p>`;

type Delivery = Awaited<ReturnType<typeof getDelivery>>;

const okStatuses = { from: 200, until: 300 };

const isOk = (status: number | null): boolean =>
  status !== null && status >= okStatuses.from && status < okStatuses.until;

/** The attempts over time; the table below has their numbers. */
function renderAttempts({ log, createdAt, status, nextAttemptAt }: Delivery, now: Date): Html | null {
  // One answered attempt is no development.
  if (log.length === 0 || (log.length === 1 && status !== "PENDING")) return null;
  const failed = log.filter((attempt) => !isOk(attempt.status)).length;
  const picture = {
    name: "attempts-line",
    title: "Attempts over time",
    summary: `${log.length} ${log.length === 1 ? "attempt" : "attempts"}, ${failed} failed.`,
  };
  const svg = drawAttempts({
    ...picture,
    createdAt,
    attempts: log.map(({ at, status: answer, error }) => ({
      at,
      isGood: isOk(answer),
      answer: answer === null ? (error ?? "no answer") : String(answer),
    })),
    next: status === "PENDING" ? nextAttemptAt : null,
    now,
  });
  return renderFigure(picture, {
    svg,
    legend: renderLegend([
      { name: "accepted", tone: "good" },
      { name: "failed", tone: "bad" },
    ]),
  });
}

/** Whether the delivery was opened again and no attempt has been recorded since. */
const isResendOpen = ({ status, attempts, scheduleFrom }: DeliveryDetails): boolean =>
  status === "PENDING" && scheduleFrom > 0 && attempts === scheduleFrom;

/** Why nothing is sent to the partner now. */
function renderHold(hold: DeliveryDetails["hold"]): Part {
  if (hold === null) return "The worker sends it within seconds.";
  if (typeof hold === "object")
    return markup`Attempts of this endpoint failed, so the worker waits until ${renderTime(hold.pausedUntil)}.`;
  const reasons = {
    "no endpoint": "The partner has no endpoint.",
    "partner disabled": "The partner is disabled.",
    "webhook disabled": "The partner's webhook is disabled: enable it, and the delivery is sent.",
  };
  return reasons[hold];
}

/** What became of the last resend; nothing without one. */
function renderResend(delivery: DeliveryDetails): Html | null {
  const { scheduleFrom, log } = delivery;
  if (isResendOpen(delivery))
    return markup`<p class="lead" id="resend">It is to be sent again, and no attempt has been made since. ${renderHold(delivery.hold)}</p>`;
  const last = log.findLast(({ attempt }) => attempt > scheduleFrom);
  if (scheduleFrom === 0 || last === undefined) return null;
  const outcome = last.status === null ? `failed: ${last.error ?? "no answer"}` : `was answered ${last.status}`;
  return markup`<p class="lead" id="resend">It was sent again: attempt ${last.attempt} ${outcome}.</p>`;
}

export const showDelivery: ShowPage = async (visit) => {
  const { ctx, params } = visit;
  const delivery = await getDelivery(ctx, { id: params["id"] ?? "" });
  const request = may(visit, "deliveries.payload") ? await getDeliveryRequest(ctx, delivery) : null;
  const row = deliveries.describeShown(delivery);
  const parts = buildParts(visit, row);
  const picture = renderAttempts(delivery, await ctx.clock.now(ctx.db));
  return {
    title: "Delivery",
    body: markup`${renderNamed(row)} ${renderActs(visit, deliveries, row)} ${renderResend(delivery)}
      ${parts.map(({ html }) => html)} ${picture} ${request ? renderRequest(request) : hiddenRequest}`,
    tables: parts.map(({ table }) => table),
    // Its attempt is recorded soon.
    isChanging: isResendOpen(delivery) && delivery.hold === null,
  };
};
