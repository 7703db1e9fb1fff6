/** Resending the deliveries of a period: the choice, then how many it is, then the act. */
import { givenInstant } from "@cardkeep/contract/core/instantOrDate";
import { replayCountedMax } from "@cardkeep/db/queries/partners/deliveries/log";
import { listBacklogs, previewReplay } from "@cardkeep/domain/partners/webhooks/listDeliveries";
import { markup, type Html } from "@cardkeep/html/markup";
import { z } from "zod";
import { renderConfirmForm } from "../page/confirm.ts";
import { readText, type ShowPage, type Visit } from "../page/page.ts";
import { renderCount, renderStatus } from "../page/parts.ts";

const partnersMax = 100;

/** `datetime-local` sends no zone; the page reads it as UTC. */
const localInstant = z.iso
  .datetime({ local: true, precision: -1 })
  .transform((text) => `${text}:00Z`)
  .pipe(givenInstant())
  .transform((text) => new Date(text));

const span = z.object({
  partner: z.string(),
  from: localInstant,
  until: localInstant,
  all: z.literal("yes").optional(),
});

const renderChoice = (visit: Visit, backlogs: Awaited<ReturnType<typeof listBacklogs>>): Html => {
  const [partnerId, from, until] = ["partner", "from", "until"].map((name) => readText(visit, name));
  return markup`<form class="filters" method="get" action="/operator/deliveries/resend">
    <label>Partner
      <select name="partner">
        ${backlogs.map(
          (backlog) =>
            markup`<option value="${backlog.partnerId}"${backlog.partnerId === partnerId && markup` selected`}>${backlog.name}</option>`,
        )}
      </select></label
    >
    <label>Created from, in UTC <input name="from" type="datetime-local" value="${from}" required /></label>
    <label>Created before, in UTC <input name="until" type="datetime-local" value="${until}" required /></label>
    <label class="check"
      ><input name="all" type="checkbox" value="yes"${readText(visit, "all") === "yes" && markup` checked`} /> Include those that arrived</label
    >
    <button>Count them</button>
  </form>`;
};

async function renderPreview({ ctx }: Visit, given: Readonly<Record<string, string>>): Promise<Html | null> {
  if (given["from"] === undefined) return null;
  const read = span.safeParse(given);
  if (!read.success) return markup`<p class="refusal" role="alert">A period needs a start and an end.</p>`;
  const { partner: partnerId, from, until, all } = read.data;
  const counts = await previewReplay(ctx, { partnerId, from, until, isAll: all === "yes" });
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return markup`<p class="none">No delivery of this period would be sent again.</p>`;
  const shown = `${total < replayCountedMax ? "" : "at least "}${renderCount(total)}`;
  return markup`<h2>Would be sent again: ${shown}</h2>
    ${markup`<p class="lead">${counts.map(({ status, count }) => markup`${renderStatus(status)} ${renderCount(count)} `)}</p>`}
    <div class="preview">
      ${renderConfirmForm({
        action: "/operator/deliveries/resend-span",
        label: `Resend ${shown}`,
        consequence:
          "The endpoint gets each of them again, with the same ids, in addition to new ones. A partner that keeps the ids ignores what it has.",
        hidden: { partner: partnerId, from: given["from"], until: given["until"] ?? "", ...(all && { all }) },
      })}
    </div>`;
}

export const showResend: ShowPage = async (visit) => {
  const backlogs = await listBacklogs(visit.ctx, { limit: partnersMax });
  return {
    title: "Resend deliveries",
    body: markup`<p class="lead">Deliveries are kept for 30 days. This page counts them first; nothing is sent before you confirm.</p>
      ${backlogs.length === 0 ? markup`<p class="none">No partner has an endpoint.</p>` : renderChoice(visit, backlogs)}
      ${await renderPreview(visit, Object.fromEntries(visit.query))}`,
  };
};
