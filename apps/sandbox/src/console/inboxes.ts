/** The inbox desk: the requests at each webhook receiver, and its next answers. */
import {
  attemptsCountedMax,
  type Inbox,
  type InboxAttempt,
  listInboxes,
  listNewestAttempts,
} from "@cardkeep/db/sandbox/inboxes";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderRelativeTime, renderTime } from "@cardkeep/html/time";
import { z } from "zod";
import { type Desk, renderWayOn, type View } from "./desk.ts";
import { renderAttempts } from "./attemptsPicture.ts";
import { renderAction, renderBadge, renderCopy, renderCut, renderEmpty, renderField } from "./parts.ts";

const shownMax = 25;
const okMax = 299;

const delivery = z.object({ eventType: z.string() });

/** The title of an attempt, and its body in readable form. */
function read(body: string): { title: string; text: string } {
  try {
    const parsed: unknown = JSON.parse(body);
    const { data } = delivery.safeParse(parsed);
    return { title: data?.eventType ?? "no event", text: JSON.stringify(parsed, null, 2) };
  } catch {
    return { title: "no JSON", text: body };
  }
}

/** One attempt of a delivery, with its body and headers, as seen from `now` of the service's clock. */
export function renderAttempt({ id, body, headers, verified, status, receivedAt }: InboxAttempt, now: Date): Html {
  const { title, text } = read(body);
  const deliveryId = headers["webhook-id"];
  return markup`<li id="attempt-${id}">
    <div class="head">
      <h3>${title}</h3>
      <p class="badges">${renderBadge(verified ? "verified" : "not verified", verified ? "good" : "bad")}
        ${renderBadge(`answered ${status}`, status <= okMax ? "good" : "bad")}</p>
    </div>
    <p class="meta">${renderTime(receivedAt)} <span>${renderRelativeTime(receivedAt, now)}</span> ${deliveryId !== undefined && markup`<span>delivery ${renderCopy(deliveryId)}</span>`}</p>
    <div class="folds">
    <details>
      <summary>Body</summary>
      <pre tabindex="0">${text}</pre>
    </details>
    <details>
      <summary>Headers</summary>
      <dl class="headers">${Object.entries(headers).map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    </details>
    </div>
  </li>`;
}

function formatBehaviour({ statuses, delayMs }: Inbox): string {
  const after = delayMs === 0 ? "" : ` after ${delayMs} ms`;
  return statuses.length === 0 ? `Answers 200${after}.` : `Answers ${statuses.join(", ")} next${after}, then 200.`;
}

const formatAttempts = ({ attempts }: Inbox): string =>
  attempts > attemptsCountedMax
    ? `${attemptsCountedMax}+ attempts`
    : `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;

async function renderInbox({ runtime, clock, person }: View, inbox: Inbox): Promise<Html> {
  const attempts = await listNewestAttempts(runtime.store, { name: inbox.name, text: person?.id, limit: shownMax });
  return markup`<section class="panel" id="inbox-${inbox.name}">
    <div class="head">
      <div>
        <h2>${inbox.name} <span class="muted">${formatAttempts(inbox)}</span></h2>
        <p class="meta">${formatBehaviour(inbox)} ${renderCopy(`${runtime.settings.sandboxUrl}/inbox/${inbox.name}`, "Copy the address")}</p>
      </div>
      ${renderAction({
        path: `/inbox/${inbox.name}/behaviour`,
        label: `How ${inbox.name} answers`,
        done: "Set.",
        content: markup`<div class="row inline">
          ${renderField("Next answers", markup`<input name="statuses" class="long" data-kind="numbers" value="500, 500, 200" pattern="[0-9 ,]*" />`)}
          ${renderField("After ms", markup`<input name="delayMs" type="number" min="0" max="60000" value="0" />`)}
          <button class="plain">Set</button>
        </div>`,
      })}
    </div>
    ${
      attempts.length === 0
        ? renderEmpty(
            person === null ? "No delivery arrived yet." : "No delivery about this person arrived yet.",
            renderWayOn("Subscribe a partner at the Person desk", person),
          )
        : markup`${renderAttempts(inbox.name, attempts, ({ status }) => status <= okMax)}
          <ol class="rows">${attempts.map((attempt) => renderAttempt(attempt, clock.now))}</ol>`
    }
    ${renderCut(attempts.length, shownMax)}
  </section>`;
}

export const inbox: Desk = {
  id: "inbox",
  title: "Partner inbox",
  summary:
    "Webhook deliveries of the service, newest first, and the next answers of each receiver. Failed deliveries are retried automatically: advance the clock to see it.",
  render: async (view) => {
    const inboxes = await listInboxes(view.runtime.store);
    return markup`${inboxes.length === 0 ? renderEmpty("No delivery arrived yet. The service delivers events of users whose app has subscribed.", renderWayOn("Subscribe a partner at the Person desk", view.person)) : await Promise.all(inboxes.map((each) => renderInbox(view, each)))}`;
  },
};
