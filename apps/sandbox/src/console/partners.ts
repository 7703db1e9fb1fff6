/** The operator's desk: partners and coupons. */
import type { Coupon } from "@cardkeep/db/queries/cards/coupons";
import type { PartnerWithDomains } from "@cardkeep/db/queries/partners/partners";
import { listCoupons } from "@cardkeep/domain/cards/coupons/createCoupon";
import { listPartners } from "@cardkeep/domain/partners/partners/getPartner";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import type { Desk } from "./desk.ts";
import { renderAction, renderBadge, renderCopy, renderCut, renderField, renderPanel, renderTable } from "./parts.ts";

const shownMax = 50;

const renderNewPartner = (sandboxUrl: string): Html =>
  renderAction({
    path: "/partners",
    label: "New partner",
    content: markup`<div class="fields">
        ${renderField("Name", markup`<input name="name" placeholder="Example app" required />`)}
        ${renderField("Domains", markup`<input name="domains" data-kind="words" placeholder="app.example.org, localhost:5173" />`)}
        ${renderField("Webhook", markup`<input name="webhookUrl" type="url" value="${sandboxUrl}/inbox/example" />`, "wide")}
        ${renderField("Id (optional)", markup`<input name="id" pattern="[A-Za-z0-9_\\-]+" />`)}
      </div>
      <div class="row"><button>Register</button> <span class="muted">The keys are shown once.</span></div>`,
  });

const newCoupon = renderAction({
  path: "/coupons",
  label: "New coupon",
  done: "Coupon {code} exists now.",
  content: markup`<div class="fields">
      ${renderField("Code", markup`<input name="code" placeholder="WELCOME" required />`)}
      ${renderField("Discount in per cent", markup`<input name="percent" type="number" min="1" max="100" placeholder="50" />`)}
      ${renderField("or EUR off", markup`<input name="amount" inputmode="decimal" placeholder="10.00" />`)}
      ${renderField("How often (optional)", markup`<input name="maxRedemptions" type="number" min="1" />`)}
      ${renderField("Per user (optional)", markup`<input name="perUser" pattern="[1-9][0-9]*|unlimited" placeholder="1 or unlimited" />`)}
      ${renderField("Until, in UTC (optional)", markup`<input name="expiresAt" type="datetime-local" data-kind="instant" />`)}
    </div>
    <div class="row"><button>Make</button></div>`,
});

const renderPartners = (partners: readonly PartnerWithDomains[]): Html =>
  renderTable(
    ["Name", "Id", "Domains", "Webhook", "Since"],
    partners.map(
      ({ id, name, domains, webhookUrl, status, webhookStatus, createdAt }) =>
        markup`<tr id="partner-${id}">
          <td>${name} ${status !== "ACTIVE" && renderBadge("disabled", "bad")}</td>
          <td>${renderCopy(id)}</td>
          <td>${domains.join(", ")}</td>
          <td>${webhookUrl !== null && renderCopy(webhookUrl, webhookUrl)}
            ${webhookStatus !== "ACTIVE" && renderBadge("disabled", "bad")}</td>
          <td>${renderTime(createdAt)}</td>
        </tr>`,
    ),
  );

const renderCoupons = (coupons: readonly Coupon[]): Html =>
  renderTable(
    ["Code", "Worth", "Redeemed", "Per user", "Until"],
    coupons.map(
      ({ code, percent, amountEur, redemptions, redemptionsMax, perUserMax, expiresAt, active }) =>
        markup`<tr id="coupon-${code}">
          <td>${renderCopy(code, code)} ${!active && renderBadge("disabled", "bad")}</td>
          <td>${percent === null ? `${amountEur} EUR` : `${percent} %`}</td>
          <td>${redemptions}${redemptionsMax !== null && ` of ${redemptionsMax}`}</td>
          <td>${perUserMax ?? "unlimited"}</td>
          <td>${expiresAt !== null && renderTime(expiresAt)}</td>
        </tr>`,
    ),
  );

export const partners: Desk = {
  id: "partners",
  title: "Partners and coupons",
  summary: "Register partner apps with their domains and webhooks, and create coupons for card orders.",
  render: async ({ runtime }) => {
    const [found, coupons] = await Promise.all([
      listPartners(runtime.services, { limit: shownMax }),
      listCoupons(runtime.services, { limit: shownMax }),
    ]);
    return markup`${renderPanel("Partners", [renderPartners(found), renderCut(found.length, shownMax, "first")])}
    ${renderPanel("New partner", renderNewPartner(runtime.settings.sandboxUrl))}
    ${renderPanel("Coupons", [renderCoupons(coupons), renderCut(coupons.length, shownMax)])}
    ${renderPanel("New coupon", newCoupon)}`;
  },
};
