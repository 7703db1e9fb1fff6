/** The catalogues: what the service tells partners, and how it refuses. */
import { commonErrors, type ErrorCode, errors } from "@cardkeep/contract/errors";
import { eventOccasions, type EventType, events } from "@cardkeep/contract/events";
import { eventExamples } from "@cardkeep/contract/examples";
import { isOfSchema } from "@cardkeep/contract/faults";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { buildWireSchema } from "@cardkeep/contract/wire";
import type { z } from "zod";
import { renderSchema } from "./fields.ts";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderJson } from "./json.ts";

const renderEvent = ([type, data]: readonly [
  EventType,
  z.ZodType,
]): Html => markup`<article class="entry" id="event-${type}">
  <h3><a class="anchor" href="#event-${type}">${type}</a></h3>
  <p class="summary">${eventOccasions[type]}</p>
  <details>
    <summary>Fields of <code>data</code></summary>
    ${renderSchema(buildWireSchema(data))}
  </details>
  <details>
    <summary>Example</summary>
    <figure class="panel"><pre tabindex="0">${renderJson({ eventType: type, data: eventExamples[type] })}</pre></figure>
  </details>
</article>`;

// The catalogue's keys are its kinds.
const kinds = Object.keys(events) as EventType[];

export const renderEvents = (): Html => markup`<section id="events">
  <h2>Events</h2>
  <p class="lead">
    What happens to a user is written down in the commit in which it happens, as <code>eventType</code> and
    <code>data</code>. The data of an event has the fields of its twin in the API. A partner that the user
    <a href="#webhooks.subscribe">subscribed</a> is sent them, and may <a href="#partners.events">pull</a> them.
  </p>
  <p>
    A delivery is a POST of <code>{"eventType", "data"}</code>. Any 2xx within 30 seconds takes it; otherwise it comes again
    after 1, 5 and 15 minutes, then 1, 6 and 24 hours, with the same <code>webhook-id</code>, so whatever was seen before can
    be left alone. Order is not promised; <code>webhook-sequence</code> counts the deliveries of one user to one partner
    without gaps. <code>Retry-After</code> of a 429 or 503 is heeded, a 410 ends deliveries, redirects are not followed.
  </p>
  <p>
    Two families of signatures are on every attempt: <code>X-Webhook-Signature</code>, Ed25519 in base64 over
    <code>&lt;X-Webhook-Timestamp&gt;.&lt;body&gt;</code>, and those of Standard Webhooks in <code>webhook-signature</code>
    over <code>&lt;webhook-id&gt;.&lt;webhook-timestamp&gt;.&lt;body&gt;</code>: <code>v1a</code> with
    <a href="#webhooks.keys">the service's keys</a>, <code>v1</code> with the partner's secret. In TypeScript
    <code>verifyDelivery</code> of <code>@cardkeep/client/webhooks</code> checks them in one call; deliveries to try your own
    code with, and some that were tampered with, are in <code>packages/client/vectors/deliveries.json</code>.
  </p>
  ${kinds.map((type) => renderEvent([type, events[type]]))}
</section>`;

const all = listRoutes(routes);

function renderUsers(code: ErrorCode): Html {
  if (code === "users.deactivated") return markup`every change of a user's but the withdrawal`;
  if (code.startsWith("idempotency.")) return markup`<a href="#idempotency">every route that takes a key</a>`;
  if (commonErrors.includes(code)) return markup`every route`;
  const users = all.filter(({ route }) => route.errors.includes(code));
  if (
    all.every(
      ({ name, route }) =>
        route.access === "public" || route.access === "partner" || users.some((user) => user.name === name),
    )
  )
    return markup`every route that needs a token`;
  if (users.length === 0)
    return code.startsWith("request.") ? markup`paths and methods without a route` : markup`operator and sandbox`;
  return markup`${users.map(({ name }, index) => markup`${index > 0 && ", "}<a href="#${name}">${name}</a>`)}`;
}

/** What a fault says, or what of it varies. */
export const describeText = (code: ErrorCode): string =>
  isOfSchema(code) ? "Names the first field at fault" : errors[code].text;

// The catalogue's keys are its codes.
const codes = Object.keys(errors) as ErrorCode[];

export const renderErrors = (): Html =>
  markup`<section id="errors">
    <h2>Errors</h2>
    <p class="lead">
      Every fault has a code. On REST it is the header <code>X-Error-Code</code>, and its text is the
      <code>error</code> or the <code>message</code> of the body, as each route says; on tRPC the code is <code>data.error</code> and the status <code>data.httpStatus</code>.
    </p>
    <table>
        <thead>
          <tr>
            <th>Code</th>
            <th>Status</th>
            <th>Text</th>
            <th>Told by</th>
          </tr>
        </thead>
        <tbody>
          ${codes.map(
            (code) =>
              markup`<tr class="entry" id="error-${code}">
                <td><code>${code}</code></td>
                <td><span class="status s${Math.floor(errors[code].status / 100)}">${errors[code].status}</span></td>
                <td>${describeText(code)}</td>
                <td>${renderUsers(code)}</td>
              </tr>`,
          )}
        </tbody>
    </table>
  </section>`;
