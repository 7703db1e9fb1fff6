/** One route: its input, its answer, its errors, and an example of a successful call. */
import type { ErrorCode } from "@cardkeep/contract/errorCatalogue";
import { errors } from "@cardkeep/contract/errorCatalogue";
import { examples } from "@cardkeep/contract/examples";
import {
  buildErrorBody,
  errorTextOf,
  isOfSchema,
  listErrorCodes,
  listInvalidTexts,
  takesIdempotencyKey,
} from "@cardkeep/contract/routeErrors";
import { apiPrefix, listRoutes, type Route } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { buildWireSchema, splitInput } from "@cardkeep/contract/wireSchema";
import { buildCall, renderCall } from "./call.ts";
import { renderFields, renderSchema } from "./fields.ts";
import { markup, type Html, prose } from "@cardkeep/html/markup";
import { renderInlineJson, renderJson } from "./json.ts";

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
  const replaced =
    deprecated.successor === null
      ? "There is no successor."
      : markup`Use
        ${
          successor
            ? markup`<a href="#${successor.name}"><code>${apiPrefix + deprecated.successor}</code></a>`
            : markup`<code>${apiPrefix + deprecated.successor}</code>`
        }.`;
  const { sunsetAt } = deprecated;
  const end = sunsetAt !== undefined && ` It will be removed in a future version, not before ${sunsetAt.slice(0, 10)}.`;
  return markup`<p class="notice"><strong>Deprecated.</strong> ${replaced}${end}</p>`;
}

function renderInput(route: Route): Html {
  const { path, query, body, isBodyRequired } = splitInput(route);
  const parts = [
    path.length > 0 &&
      markup`<h4>Path</h4>
        ${renderFields(path)}`,
    query.length > 0 &&
      markup`<h4>Query</h4>
        ${renderFields(query)}`,
    body &&
      markup`<h4>Body${!isBodyRequired && markup` <span class="optional">optional</span>`}</h4>
        ${renderSchema(body)}`,
  ].filter((part) => part !== false && part !== null);
  return parts.length > 0
    ? markup`${parts}`
    : markup`<h4>Input</h4>
        <p class="none">None</p>`;
}

function renderError(code: ErrorCode, route: Route): Html {
  const texts = isOfSchema(code) ? listInvalidTexts(route) : [];
  const [first = errorTextOf(code, route), ...others] = texts;
  return markup`<li>
    <span class="status s${Math.floor(errors[code].status / 100)}">${errors[code].status}</span>
    <div>
      <code class="body">${renderInlineJson(buildErrorBody(code, route, first))}</code>
      ${
        others.length > 0 &&
        markup`<details>
          <summary>or ${others.length} more, named after the first invalid field</summary>
          ${others.map((text) => markup`<code class="body">${renderInlineJson(buildErrorBody(code, route, text))}</code>`)}
        </details>`
      }
      <a class="code" href="#error-${code}">${code}</a>
    </div>
  </li>`;
}

function renderErrors(route: Route): Html {
  const codes = listErrorCodes(route);
  const listOf = (isOwn: boolean) => codes.filter((item) => item.isOwn === isOwn);
  return markup`<h4>Faults</h4>
    ${
      listOf(true).length > 0 &&
      markup`<ul class="faults">
        ${listOf(true).map(({ code }) => renderError(code, route))}
      </ul>`
    }
    <details class="common">
      <summary>Errors of every route, in this route's format</summary>
      <ul class="faults">
        ${listOf(false).map(({ code }) => renderError(code, route))}
      </ul>
    </details>`;
}

function renderExample({ name, route }: NamedRoute): Html | null {
  const example = examples[name];
  if (!example) return null;
  const call = buildCall(route, example);
  const verb = route.method === "GET" ? "query" : "mutate";
  return markup`<div class="example">
    <figure class="panel">
      <figcaption>Request <button type="button" data-copy="${call.curl}">Copy as curl</button></figcaption>
      <pre tabindex="0">${renderCall(call)}</pre>
    </figure>
    <figure class="panel">
      <figcaption>Answer <span class="status s2">${route.status ?? 200}</span></figcaption>
      <pre tabindex="0">${route.plainText ? String(example.output) : renderJson(example.output)}</pre>
    </figure>
    <figure class="panel">
      <figcaption>tRPC</figcaption>
      <pre tabindex="0">await cardkeep.${name}.${verb}(${example.input !== undefined && "input"});</pre>
    </figure>
  </div>`;
}

/** The section of one route, under its tRPC name as anchor. */
export function renderRoute(named: NamedRoute): Html {
  const { name, route } = named;
  const output = buildWireSchema(route.output);
  return markup`<article class="entry" id="${name}">
    <h3>
      <a class="anchor" href="#${name}"
        >${renderMethod(route.method)} <span class="path">${apiPrefix}<wbr />${breakPath(route.path)}</span></a
      >
    </h3>
    <p class="summary">${prose(route.summary)}</p>
    ${renderDeprecation(route)}
    <ul class="facts">
      <li>tRPC <code>${name}</code></li>
      <li>${accessTexts[route.access]}</li>
      ${
        takesIdempotencyKey(route) &&
        markup`<li>
          <a href="#idempotency"><code>Idempotency-Key</code></a>
        </li>`
      }
      ${(route.aliases ?? []).map((alias) => markup`<li>also <code>${apiPrefix + alias}</code></li>`)}
    </ul>
    <div class="sides">
      <div class="reference">
        ${renderInput(route)}
        <h4>
          Answer <span class="status s2">${route.status ?? 200}</span>
          <span class="type">${route.plainText ? "text/plain" : "application/json"}</span>
        </h4>
        ${renderSchema(output)} ${renderErrors(route)}
      </div>
      ${renderExample(named)}
    </div>
  </article>`;
}

/** Lets a long path wrap after its slashes. */
const breakPath = (path: string): Html =>
  markup`${path.split("/").map((part, index) => markup`${index > 0 && markup`/<wbr />`}${part}`)}`;
