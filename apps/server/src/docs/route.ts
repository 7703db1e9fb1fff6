/** One route: its input, its answer, its errors, and an example of a successful call. */
import { pathOfRoute } from "@cardkeep/contract/openapi/documents";
import type { Example } from "@cardkeep/contract/openapi/examples";
import { takesIdempotencyKey } from "@cardkeep/contract/core/routeErrors";
import { apiPrefix, listRoutes, type Route } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { buildWireSchema, splitInput } from "@cardkeep/contract/core/wireSchema";
import { type Html, markup, prose } from "@cardkeep/html/markup";
import { buildCall } from "./buildCall.ts";
import { renderFaults, renderStatus } from "./faults.ts";
import { type FieldScope, renderFields, renderSchema } from "./fields.ts";
import { renderHeading } from "./heading.ts";
import { findIdSources } from "./idSources.ts";
import { renderJson } from "./json.ts";
import { buildSamples } from "./samples/buildSamples.ts";
import { renderSamples } from "./samples/renderSamples.ts";
import type { DocsContext } from "./docsContext.ts";

export interface NamedRoute {
  readonly name: string;
  readonly route: Route;
}

const all = listRoutes(routes);

export const renderMethod = (method: string): Html =>
  markup`<span class="method ${method.toLowerCase()}">${method}</span>`;

export const accessTexts = {
  public: "No token needed",
  wallet: "Token of a signed-in wallet",
  partner: "API key of a partner",
  user: "Token of a user",
} as const;

function renderDeprecation({ deprecated }: Route): Html | null {
  if (!deprecated) return null;
  const successor = all.find(({ route }) => route.path === deprecated.successor);
  const path = markup`<code>${apiPrefix + deprecated.successor}</code>`;
  const replaced = markup`Use ${successor ? markup`<a href="${pathOfRoute(successor.name)}">${path}</a>` : path}.`;
  const { sunsetAt } = deprecated;
  const end = sunsetAt !== undefined && ` It will be removed in a future version, not before ${sunsetAt.slice(0, 10)}.`;
  return markup`<p class="notice"><strong>Deprecated.</strong> ${replaced}${end}</p>`;
}

function renderInput({ name, route }: NamedRoute, scopeOf: (part: string) => FieldScope): Html {
  const { path, query, body, isBodyRequired } = splitInput(route);
  const parts = [
    path.length > 0 && [renderHeading(3, `${name}-path`, "Path"), renderFields(path, scopeOf("path"))],
    query.length > 0 && [renderHeading(3, `${name}-query`, "Query"), renderFields(query, scopeOf("query"))],
    body && [
      renderHeading(
        3,
        `${name}-body`,
        markup`Body${!isBodyRequired && markup` <span class="optional">optional</span>`}`,
      ),
      renderSchema(body, scopeOf("body")),
    ],
  ];
  return markup`${parts}`;
}

function renderExample({ name, route }: NamedRoute, example: Example, context: DocsContext): Html {
  const call = buildCall(name, route, example, context.serverUrl);
  return markup`<div class="example" data-call="${JSON.stringify(call)}" data-sources="${JSON.stringify(findIdSources(route))}">
    ${renderSamples(buildSamples(call))}
    <p class="try"><button type="button" data-runs>Run it</button></p>
    <figure class="panel answer">
      <figcaption>Answer ${renderStatus(route.status ?? 200)}</figcaption>
      <pre tabindex="0">${route.plainText ? String(example.output) : renderJson(example.output)}</pre>
    </figure>
  </div>`;
}

/** The section of one route, under its tRPC name as anchor. `shown` is shared by the routes of a page. */
export function renderRoute(named: NamedRoute, context: DocsContext, shown: FieldScope["shown"]): Html {
  const { name, route } = named;
  const example = context.examples[name];
  const scopeOf = (part: string): FieldScope => ({ shown, place: { href: `#${name}-${part}`, name } });
  return markup`<article class="entry" id="${name}">
    ${renderHeading(
      2,
      name,
      markup`${renderMethod(route.method)} <span class="path">${apiPrefix}${breakPath(route.path)}</span>`,
    )}
    <p class="summary">${prose(route.summary)}</p>
    ${renderDeprecation(route)}
    <ul class="facts">
      <li>tRPC <code>${name}</code></li>
      <li>${accessTexts[route.access]}</li>
      ${
        route.scope !== undefined &&
        markup`<li>${route.access === "user" && "or a token of a program, "}scope <code>${route.scope}</code></li>`
      }
      ${
        takesIdempotencyKey(route) &&
        markup`<li>
          <a href="/docs#idempotency"><code>Idempotency-Key</code></a>
        </li>`
      }
      ${(route.aliases ?? []).map((alias) => markup`<li>also <code>${apiPrefix + alias}</code></li>`)}
    </ul>
    <div class="sides">
      <div class="reference">
        ${renderInput(named, scopeOf)}
        ${renderHeading(
          3,
          `${name}-answer`,
          markup`Answer ${renderStatus(route.status ?? 200)}
            <span class="type">${route.plainText ? "text/plain" : "application/json"}</span>`,
        )}
        ${renderSchema(buildWireSchema(route.output), scopeOf("answer"))} ${renderHeading(3, `${name}-faults`, "Faults")}
        ${renderFaults(route)}
      </div>
      ${example && renderExample(named, example, context)}
    </div>
  </article>`;
}

/** Lets a long path wrap after its slashes. */
const breakPath = (path: string): Html =>
  markup`${path.split("/").map((part, index) => markup`${index > 0 && markup`/<wbr />`}${part}`)}`;
