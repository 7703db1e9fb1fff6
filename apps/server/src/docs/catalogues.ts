/** The catalogues: what the service tells partners, and how it refuses. */
import { commonErrors, type ErrorCode, errors } from "@cardkeep/contract/errors";
import { events } from "@cardkeep/contract/events";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { buildWireSchema } from "@cardkeep/contract/wire";
import type { z } from "zod";
import { renderSchema } from "./fields.ts";
import { html, type Html } from "./html.ts";

const renderEvent = ([type, data]: [string, z.ZodType]): Html => html`<article class="entry" id="event-${type}">
  <h3><a class="anchor" href="#event-${type}">${type}</a></h3>
  <details>
    <summary>Fields of <code>data</code></summary>
    ${renderSchema(buildWireSchema(data))}
  </details>
</article>`;

export const renderEvents = (): Html => html`<section id="events">
  <h2>Events</h2>
  <p class="lead">
    What happens to a user is written down in the commit in which it happens, as <code>{ "eventType", "data" }</code>. The
    data of an event has the fields of its twin in the API.
  </p>
  ${Object.entries<z.ZodType>(events).map(renderEvent)}
</section>`;

const all = listRoutes(routes);

function renderUsers(code: ErrorCode): Html {
  if (commonErrors.includes(code)) return html`every route`;
  const users = all.filter(({ route }) => route.errors.includes(code));
  if (users.length === 0)
    return code.startsWith("request.") ? html`no route in particular` : html`operator and sandbox`;
  return html`${users.map(({ name }, index) => html`${index > 0 && ", "}<a href="#${name}">${name}</a>`)}`;
}

// The catalogue's keys are its codes.
const codes = Object.keys(errors) as ErrorCode[];

export const renderErrors = (): Html => html`<section id="errors">
  <h2>Errors</h2>
  <p class="lead">
    Every fault has a code. On REST its text is the <code>error</code> or the <code>message</code> of the body, as each
    route says; on tRPC the code is <code>data.error</code> and the status <code>data.httpStatus</code>.
  </p>
  <div class="scroll">
    <table>
      <thead>
        <tr><th>Code</th><th>Status</th><th>Text</th><th>Told by</th></tr>
      </thead>
      <tbody>
        ${codes.map(
          (code) => html`<tr class="entry" id="error-${code}">
            <td><code>${code}</code></td>
            <td><span class="status s${Math.floor(errors[code].status / 100)}">${errors[code].status}</span></td>
            <td>${errors[code].text}</td>
            <td>${renderUsers(code)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>
</section>`;
