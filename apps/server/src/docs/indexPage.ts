/** The first page: facts that hold for every route, and an index of everything. */
import {
  documentsPath,
  pathOfDecline,
  pathOfError,
  pathOfEvent,
  pathOfGuide,
  pathOfMachine,
  pathOfNoun,
  pathOfRoute,
} from "@cardkeep/contract/openapi/documents";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { eventOccasions } from "@cardkeep/contract/partners/events";
import { machines } from "@cardkeep/contract/machines";
import { apiPrefix } from "@cardkeep/contract/core/route";
import { type Html, markup, prose } from "@cardkeep/html/markup";
import type { DocsContext } from "./docsContext.ts";
import { errorFamilies } from "./errors.ts";
import { eventTypes } from "./events.ts";
import { guides } from "./guides/guides.ts";
import { nounGroups } from "./nounPage.ts";
import { renderMethod } from "./route.ts";

const renderTopics = (): Html =>
  markup`<section id="facts" class="topics" aria-label="Facts about every route">
    <section id="access">
      <h2>Access</h2>
      <p>
        <a href="${pathOfRoute("auth.nonce")}">A nonce</a>, signed in an EIP-4361 message, is
        <a href="${pathOfRoute("auth.challenge")}">exchanged for a token</a>. Send it with every further request as
        <code>Authorization: Bearer &lt;access token&gt;</code>. After <a href="${pathOfRoute("auth.signUp")}">sign-up</a> the token
        names the user.
      </p>
    </section>
    <section id="idempotency">
      <h2>Idempotency</h2>
      <p>
        An authenticated POST, PUT, PATCH or DELETE takes an <code>Idempotency-Key</code> of up to 255 characters. For 24 hours
        the same key with the same input gets the first answer again, and nothing is executed twice. This holds across both
        surfaces. Another input, or a key of another length, is a 422. A request still in progress is a 409. Answers that hold a token, and 401, 429
        and 5xx, are never stored.
      </p>
    </section>
    <section id="values">
      <h2>Values</h2>
      <p>
        Amounts are decimal strings in a token's base units. Addresses are EIP-55 checksummed in answers and accepted
        in any letter case, like signatures and other bytes. Instants are ISO 8601 in UTC. Ids are opaque. A field
        without a value is left out or <code>null</code>, as its description says. Unknown fields are ignored. A request that changes something takes its fields from path and body alone.
      </p>
    </section>
    <section id="answers">
      <h2>Answers</h2>
      <p>
        Every answer carries <code>X-Request-Id</code>, yours if you send one. A body may have up to 64 KiB. Where waiting
        helps, a 429, 502 or 503 states the seconds in <code>Retry-After</code>. An error carries its code as
        <code>X-Error-Code</code>, a 401 the scheme as <code>WWW-Authenticate</code>. A deprecated route names the date
        of its deprecation in <code>Deprecation</code>, links to its successor and its description in <code>Link</code>, and names
        the earliest date of its removal in <code>Sunset</code>. An unknown path is a 404. Another method is a 405 that names the
        methods in <code>Allow</code>.
      </p>
    </section>
    <section id="examples">
      <h2>Examples</h2>
      <p>
        Tests took the examples from a running service. Tokens, signatures, ids, addresses, hashes and
        times are replaced by others of the same form, and long calldata is cut.
      </p>
    </section>
  </section>`;

const renderRoutes = (): Html =>
  markup`<section id="routes">
    <h2>Routes</h2>
    ${nounGroups.map(
      ({ noun, title, summary, routes: ofNoun }) =>
        markup`<section class="group">
          <h3><a href="${pathOfNoun(noun)}">${title}</a></h3>
          <p class="meta">${prose(summary)}</p>
          <ul class="index">
            ${ofNoun.map(
              ({ name, route }) =>
                markup`<li>
                  <a href="${pathOfRoute(name)}" class="${route.deprecated ? "old" : "current"}"
                    >${renderMethod(route.method)} <code class="path">${apiPrefix}${route.path}</code></a
                  >
                  <span>${prose(route.summary)}${route.deprecated && " (deprecated)"}</span>
                </li>`,
            )}
          </ul>
        </section>`,
    )}
  </section>`;

const renderLists = (): Html =>
  markup`<section id="machines">
      <h2><a href="${documentsPath}/machines">State machines</a></h2>
      <p class="meta">A status changes only along its table.</p>
      <ul class="words">
        ${machines.map((machine) => markup`<li><a href="${pathOfMachine(machine)}">${machine.name}</a></li>`)}
      </ul>
    </section>
    <section id="events">
      <h2><a href="${documentsPath}/events">Events</a></h2>
      <ul class="index">
        ${eventTypes.map(
          (type) =>
            markup`<li><a href="${pathOfEvent(type)}"><code>${type}</code></a> <span>${eventOccasions[type]}</span></li>`,
        )}
      </ul>
    </section>
    <section id="errors">
      <h2><a href="${documentsPath}/errors">Errors</a></h2>
      ${[...errorFamilies].map(
        ([family, codes]) =>
          markup`<section class="group">
            <h3>${family}</h3>
            <ul class="words">
              ${codes.map((code) => markup`<li><a href="${pathOfError(code)}"><code>${code}</code></a></li>`)}
            </ul>
          </section>`,
      )}
    </section>
    <section id="declines">
      <h2><a href="${documentsPath}/declines">Declines</a></h2>
      <ul class="words">
        ${[...declineCatalogue.keys()].map(
          (code) => markup`<li><a href="${pathOfDecline(code)}"><code>${code}</code></a></li>`,
        )}
      </ul>
    </section>`;

export const renderIndex = ({ serverUrl }: DocsContext): Html =>
  markup`<section id="begin">
      <h2>Guides</h2>
      <p class="meta">
        Developers begin with the <a href="${pathOfGuide("quick-start")}">quick start</a>. Who plans a programme begins with
        <a href="${pathOfGuide("programme")}">what a programme needs</a>.
      </p>
      <ol class="cards">
        ${guides.map(
          ({ slug, title, summary }) =>
            markup`<li><a href="${pathOfGuide(slug)}">${title}</a> <span>${summary}</span></li>`,
        )}
      </ol>
    </section>
    <ul class="links">
      <li><span>Base address</span> <code>${serverUrl}</code></li>
      <li><span>OpenAPI 3.1; imports into Postman and Bruno</span> <a href="/openapi.json">/openapi.json</a></li>
      <li><span>For language models</span> <a href="/llms.txt">/llms.txt</a></li>
      <li><span>Token keys</span> <a href="/.well-known/jwks.json">/.well-known/jwks.json</a></li>
    </ul>
    ${renderTopics()} ${renderRoutes()} ${renderLists()}`;
