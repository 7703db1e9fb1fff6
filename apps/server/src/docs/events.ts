/** The page of the events: when each is published, its data, and an example. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { pathOfRoute } from "@cardkeep/contract/openapi/documents";
import { askedEvents, eventOccasions, type EventType, events } from "@cardkeep/contract/partners/events";
import { buildWireSchema } from "@cardkeep/contract/core/wireSchema";
import { type Html, markup } from "@cardkeep/html/markup";
import type { DocsContext } from "./docsContext.ts";
import { type FieldScope, renderSchema } from "./fields.ts";
import { renderHeading } from "./heading.ts";
import { renderJson } from "./json.ts";

// The catalogue's keys are its event types.
export const eventTypes = keysOf(events);

function renderEvent(type: EventType, { eventExamples }: DocsContext, shown: FieldScope["shown"]): Html {
  const id = `event-${type}`;
  return markup`<article class="entry" id="${id}">
    ${renderHeading(2, id, type)}
    <p class="summary">${eventOccasions[type]}${askedEvents.includes(type) && ". Only for partners that asked for all kinds"}</p>
    <details>
      <summary>Fields of <code>data</code></summary>
      ${renderSchema(buildWireSchema(events[type]), { shown, place: { href: `#${id}`, name: type } })}
    </details>
    <details>
      <summary>Example</summary>
      <figure class="panel"><pre tabindex="0">${renderJson({ eventType: type, data: eventExamples[type] })}</pre></figure>
    </details>
  </article>`;
}

export function renderEvents(context: DocsContext): Html {
  const shown: FieldScope["shown"] = new Map();
  return markup`<div class="text">
    <p>
      The data of an event has the same fields as the object in the API. A partner that the user
      <a href="${pathOfRoute("webhooks.subscribe")}">subscribed</a> receives the user's events, and may
      <a href="${pathOfRoute("partners.events")}">pull</a> them.
    </p>
    <p>
      A delivery is a POST of <code>{"eventType", "data"}</code>. Any 2xx within 30 seconds accepts it. Otherwise the service retries
      after 1, 5 and 15 minutes, then after 1, 6 and 24 hours, with the same <code>webhook-id</code>, so the receiver can ignore a delivery that it has already
      seen. The order of deliveries is not guaranteed: <code>webhook-sequence</code> counts the deliveries of one user to one partner
      without gaps. <code>Retry-After</code> of a 429 or 503 is honoured. A 410 ends deliveries. Redirects are not followed.
    </p>
    <p>
      Every attempt has two families of signatures: <code>X-Webhook-Signature</code>, Ed25519 in base64 over
      <code>&lt;X-Webhook-Timestamp&gt;.&lt;body&gt;</code>, and those of Standard Webhooks in <code>webhook-signature</code>
      over <code>&lt;webhook-id&gt;.&lt;webhook-timestamp&gt;.&lt;body&gt;</code>: <code>v1a</code> with
      <a href="${pathOfRoute("webhooks.keys")}">the service's keys</a>, <code>v1</code> with the partner's secret. In TypeScript
      <code>verifyDelivery</code> of <code>@cardkeep/client/webhooks</code> checks them in one call. Deliveries to test your own
      code with, some of them tampered with, are in <code>packages/client/vectors/deliveries.json</code>.
    </p>
  </div>
  ${eventTypes.map((type) => renderEvent(type, context, shown))}`;
}
