/** The step that lets a partner receive the person's events. */
import { type Html, markup } from "@cardkeep/html/markup";
import { renderAttempt } from "../inboxes.ts";
import { renderBadge } from "../parts.ts";
import type { PartnerState } from "./personState.ts";
import { done, open, renderCommand, renderButton, type Step } from "./step.ts";

const renderPartner = ({ id, name, isSubscribed, attempts }: PartnerState, now: Date): Html =>
  markup`<li id="partner-${id}">
    <div class="pair">
      <p>${name} ${isSubscribed && renderBadge("receives events", "good")}</p>
      ${renderCommand(isSubscribed ? "unsubscribe" : "subscribe", `Events to ${name}`, [
        markup`<input type="hidden" name="partnerId" value="${id}" />`,
        renderButton(isSubscribed ? "Unsubscribe" : "Sign and subscribe", isSubscribed ? "plain" : "main"),
      ])}
    </div>
    ${attempts.length > 0 && markup`<p class="muted">Newest deliveries about this person</p><ol class="rows deliveries">${attempts.map((attempt) => renderAttempt(attempt, now))}</ol>`}
  </li>`;

export const partner: Step = {
  id: "partner",
  title: "Subscribe a partner",
  summary:
    "The wallet signs a message that lets a partner receive the person's events. The partner named at sign-up receives the earlier ones too.",
  after: ["signUp"],
  read: ({ account }) => {
    const subscribed = account?.partners.filter(({ isSubscribed }) => isSubscribed) ?? [];
    if (subscribed.length === 0) return open;
    const isDelivered = subscribed.some(({ attempts }) => attempts.length > 0);
    return done(isDelivered ? "Deliveries arrive" : "Subscribed");
  },
  render: ({ account, now }) =>
    markup`<ul class="rows">${account?.partners.map((each) => renderPartner(each, now))}</ul>`,
};
