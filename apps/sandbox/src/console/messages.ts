/** Mailbox and phone: the messages of the service. */
import { listMessages } from "@cardkeep/db/sandbox/messages";
import { markup } from "@cardkeep/html/markup";
import { renderRelativeTime, renderTime } from "@cardkeep/html/time";
import type { Desk } from "./desk.ts";
import { renderBadge, renderCopy, renderCut, renderEmpty } from "./parts.ts";

const shownMax = 50;

export const messages: Desk = {
  id: "messages",
  title: "Mailbox and phone",
  summary: "Mails and text messages of the service, newest first. Click a code to copy it.",
  render: async ({ runtime, clock, person }) => {
    const [mails, texts] = await Promise.all([
      listMessages(runtime.store, "mail", person?.email),
      // A person without a phone number has no text messages.
      person !== null && person.phone === null ? [] : listMessages(runtime.store, "phone", person?.phone ?? undefined),
    ]);
    const all = [
      ...mails.map((message) => ({ ...message, badge: renderBadge("mail", "note") })),
      ...texts.map((message) => ({ ...message, badge: renderBadge("text message", "good") })),
    ];
    const newest = all.toSorted((a, b) => b.sentAt.getTime() - a.sentAt.getTime()).slice(0, shownMax);
    if (newest.length === 0) return renderEmpty("The service has sent no message yet.");
    return markup`<ol class="rows">
      ${newest.map(
        ({ badge, to, subject, text, code, sentAt }) =>
          markup`<li>
            <p class="meta">${badge} <span class="cut">${to}</span> ${renderTime(sentAt)} <span>${renderRelativeTime(sentAt, clock.now)}</span></p>
            ${subject !== "" && markup`<h2>${subject}</h2>`}
            <p class="letter">${text}</p>
            ${code !== null && markup`<p class="code">${renderCopy(code, code)}</p>`}
          </li>`,
      )}
    </ol>
    ${renderCut(newest.length, shownMax)}`;
  },
};
