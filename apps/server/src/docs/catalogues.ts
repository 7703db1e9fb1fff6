/** The catalogues of events and errors. */
import { commonErrors, type ErrorCode, errors } from "@cardkeep/contract/errorCatalogue";
import { eventOccasions, type EventType, events } from "@cardkeep/contract/events";
import { eventExamples } from "@cardkeep/contract/examples";
import { isOfSchema } from "@cardkeep/contract/routeErrors";
import { isTokenError, listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { buildWireSchema } from "@cardkeep/contract/wireSchema";
import type { z } from "zod";
import { renderSchema } from "./fields.ts";
import { markup, prose, type Html } from "@cardkeep/html/markup";
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

// The catalogue's keys are its event types.
const kinds = Object.keys(events) as EventType[];

export const renderEvents = (): Html => markup`<section id="events">
  <h2>Events</h2>
  <p class="lead">
    The service records a change of a user in the same commit as the change itself, as <code>eventType</code> and
    <code>data</code>. The data of an event has the same fields as the object in the API. A partner that the user
    <a href="#webhooks.subscribe">subscribed</a> receives the user's events, and may <a href="#partners.events">pull</a> them.
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
    <a href="#webhooks.keys">the service's keys</a>, <code>v1</code> with the partner's secret. In TypeScript
    <code>verifyDelivery</code> of <code>@cardkeep/client/webhooks</code> checks them in one call. Deliveries to test your own
    code with, some of them tampered with, are in <code>packages/client/vectors/deliveries.json</code>.
  </p>
  ${kinds.map((type) => renderEvent([type, events[type]]))}
</section>`;

const all = listRoutes(routes);

function renderUsers(code: ErrorCode): Html {
  if (code === "users.deactivated") return markup`every change of a user's except the withdrawal`;
  if (code.startsWith("idempotency.")) return markup`<a href="#idempotency">every route that takes a key</a>`;
  if (commonErrors.includes(code)) return markup`every route`;
  if (isTokenError(code)) return markup`every route that needs a token`;
  const users = all.filter(({ route }) => route.errors.includes(code));
  if (users.length === 0)
    return code.startsWith("request.") ? markup`paths and methods without a route` : markup`operator and sandbox`;
  return markup`${users.map(({ name }, index) => markup`${index > 0 && ", "}<a href="#${name}">${name}</a>`)}`;
}

/** The text of an error, or the part of it that varies. */
export const describeText = (code: ErrorCode): string =>
  isOfSchema(code) ? "Names the first invalid field" : errors[code].text;

function occasionOf(code: ErrorCode): Html | null {
  const { occasion } = errors[code];
  return occasion === undefined ? null : markup`<p class="meta">${prose(occasion)}</p>`;
}

// The catalogue's keys are its codes.
const codes = Object.keys(errors) as ErrorCode[];

export const renderErrors = (): Html =>
  markup`<section id="errors">
    <h2>Errors</h2>
    <p class="lead">
      Every error has a code. On REST it is the header <code>X-Error-Code</code>, and its text is the
      <code>error</code> or the <code>message</code> of the body, in the form that each route documents. The header <code>Link</code> with <code>rel="help"</code> leads to
      the code in this table. On tRPC the code is <code>data.error</code>, the status <code>data.httpStatus</code> and the link <code>data.help</code>.
    </p>
    <table>
        <thead>
          <tr>
            <th>Code</th>
            <th>Status</th>
            <th>Text</th>
            <th>Answered by</th>
          </tr>
        </thead>
        <tbody>
          ${codes.map(
            (code) =>
              markup`<tr class="entry" id="error-${code}">
                <td><code>${code}</code></td>
                <td><span class="status s${Math.floor(errors[code].status / 100)}">${errors[code].status}</span></td>
                <td>${describeText(code)}${occasionOf(code)}</td>
                <td>${renderUsers(code)}</td>
              </tr>`,
          )}
        </tbody>
    </table>
  </section>`;
