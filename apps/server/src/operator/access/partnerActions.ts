/** What may be done to a partner, each behind a confirmation. */
import { fail } from "@cardkeep/contract/core/errors";
import { changePartner, enableWebhook, setPartnerStatus } from "@cardkeep/domain/partners/partners/changePartner";
import { newPartner } from "@cardkeep/domain/partners/partners/createPartner";
import type { PartnerDetails } from "@cardkeep/domain/partners/partners/getPartner";
import { rotatePartnerKey } from "@cardkeep/domain/partners/partners/keys";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { z } from "zod";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, type Visit } from "../page/page.ts";
import { renderCode, renderFields } from "../page/parts.ts";

const overlapHoursMax = 720;

const pageOf = (id: string): string => `/operator/partners/${encodeURIComponent(id)}`;

const changeFields = ({ webhookUrl, payload, hasAllEvents, contact }: PartnerDetails): Html =>
  markup`<label for="webhook-url">Endpoint: https and public</label>
    <input id="webhook-url" name="webhookUrl" type="url" value="${webhookUrl}" autocomplete="off" />
    <label for="payload">Deliveries carry</label>
    <select id="payload" name="payload">
      <option value="full"${payload === "full" && markup` selected`}>the whole event</option>
      <option value="thin"${payload === "thin" && markup` selected`}>the user's id</option>
    </select>
    <label for="events">Kinds of events</label>
    <select id="events" name="events">
      <option value="published"${!hasAllEvents && markup` selected`}>the published ones</option>
      <option value="all"${hasAllEvents && markup` selected`}>all</option>
    </select>
    <label for="email">Mail address for the message that the endpoint is disabled</label>
    <input id="email" name="email" type="email" value="${contact}" autocomplete="off" />`;

const rotateFields = (kind: string): Html =>
  markup`<label for="overlap-${kind}">Hours that the present keys still work</label>
    <input id="overlap-${kind}" name="overlapHours" type="number" min="0" max="${overlapHoursMax}" value="24" required />`;

const renderRotate = (id: string, kind: "api" | "secret", name: string): Html =>
  renderConfirm({
    action: `${pageOf(id)}/rotate`,
    label: `Create a new ${name}`,
    consequence: `The next page shows the new ${name}, once. The present ones end after the hours below: give it to the partner before.`,
    fields: rotateFields(kind),
    hidden: { kind },
    isDanger: true,
  });

const renderStatusChange = ({ id, status }: PartnerDetails): Html =>
  status === "ACTIVE"
    ? renderConfirm({
        action: `${pageOf(id)}/disable`,
        label: "Disable this partner",
        consequence:
          "No user can sign in on its domains any more, its API keys are refused, and nothing is delivered. Access tokens that were given out live until they expire. It can be enabled again.",
        isDanger: true,
      })
    : renderConfirm({
        action: `${pageOf(id)}/enable`,
        label: "Enable this partner",
        consequence: "People can sign in on its domains again, its API keys work, and what was kept back is delivered.",
      });

/** The confirmations that the operator's roles allow. */
export function renderPartnerActions(visit: Visit, partner: PartnerDetails): Html | null {
  const { id } = partner;
  const forms = [
    partner.webhookStatus === "DISABLED" &&
      may(visit, "webhooks.enable") &&
      renderConfirm({
        action: `${pageOf(id)}/enable-webhook`,
        label: "Enable its endpoint",
        consequence: "The events that were kept back are delivered, oldest first.",
      }),
    may(visit, "partners.change") &&
      renderConfirm({
        action: `${pageOf(id)}/change`,
        label: "Change its endpoint",
        consequence: "Deliveries go to the new address at once. A disabled endpoint is enabled by a new address.",
        fields: changeFields(partner),
      }),
    may(visit, "partners.rotate") && renderRotate(id, "secret", "webhook secret"),
    may(visit, "partners.rotate") && renderRotate(id, "api", "API key"),
    may(visit, partner.status === "ACTIVE" ? "partners.disable" : "partners.enable") && renderStatusChange(partner),
  ].filter((form) => form !== false);
  return forms.length === 0
    ? null
    : markup`<h2>Actions</h2>
        <div class="actions">${forms}</div>`;
}

const idOf = ({ params }: Visit): string => params["id"] ?? "";

const done = (id: string): string => linkTo(pageOf(id), { done: "done" });

export const disablePartner: Action = async (visit) => {
  await setPartnerStatus(visit.ctx, { id: idOf(visit), status: "DISABLED" });
  return done(idOf(visit));
};

export const enablePartner: Action = async (visit) => {
  await setPartnerStatus(visit.ctx, { id: idOf(visit), status: "ACTIVE" });
  return done(idOf(visit));
};

export const enablePartnerWebhook: Action = async (visit) => {
  await enableWebhook(visit.ctx, { id: idOf(visit) });
  return done(idOf(visit));
};

const change = newPartner
  .pick({ webhookUrl: true, email: true })
  .extend({ payload: z.enum(["full", "thin"]).optional(), events: z.enum(["published", "all"]).optional() });

/** Fields that are left empty stay as they are. @throws request.invalid, partners.invalid_url */
export const changePartnerEndpoint: Action = async (visit) => {
  const given = [...visit.form].filter(([name, value]) => name !== "reason" && value !== "");
  const read = change.safeParse(Object.fromEntries(given));
  if (!read.success)
    return fail("request.invalid", { text: "The address, the payload or the mail address is invalid" });
  const { events, ...fields } = read.data;
  const kinds = events === undefined ? {} : { hasAllEvents: events === "all" };
  await changePartner(visit.ctx, { ...fields, ...kinds, id: idOf(visit) });
  return done(idOf(visit));
};

const rotation = z.object({
  kind: z.enum(["api", "secret"]),
  overlapHours: z.coerce.number().min(0).max(overlapHoursMax),
});

/** The key is on this answer alone: no address leads to it. @throws request.invalid, partners.not_found */
export const rotateKey: Action = async (visit) => {
  const read = rotation.safeParse(Object.fromEntries(visit.form));
  if (!read.success) return fail("request.invalid", { text: `The hours are from 0 to ${overlapHoursMax}` });
  const { kind, overlapHours } = read.data;
  const rotated = await rotatePartnerKey(visit.ctx, { id: idOf(visit), kind, overlapSeconds: overlapHours * 3_600 });
  return {
    title: kind === "api" ? "New API key" : "New webhook secret",
    body: markup`<p class="notice">Keep the key now: it is shown once.</p>
      ${renderFields([
        ["Partner", renderCode(rotated.partnerId)],
        ["Key", renderCode(rotated.key)],
        ["Older keys work until", renderTime(rotated.olderUntil)],
      ])}
      <p class="pager"><a href="${pageOf(idOf(visit))}">Back to the partner</a></p>`,
  };
};
