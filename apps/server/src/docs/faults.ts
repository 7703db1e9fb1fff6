/** The errors of one route, with the bodies that they have on it. */
import { pathOfError } from "@cardkeep/contract/openapi/documents";
import { type ErrorCode, errors } from "@cardkeep/contract/core/errorCatalogue";
import type { Route } from "@cardkeep/contract/core/route";
import {
  buildErrorBody,
  errorTextOf,
  isOfSchema,
  listErrorCodes,
  listInvalidTexts,
} from "@cardkeep/contract/core/routeErrors";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderInlineJson } from "./json.ts";

/** A status with the colour of its class. */
export const renderStatus = (status: number): Html =>
  markup`<span class="status s${Math.floor(status / 100)}">${status}</span>`;

function renderError(code: ErrorCode, route: Route): Html {
  const texts = isOfSchema(code) ? listInvalidTexts(route) : [];
  const [first = errorTextOf(code, route), ...others] = texts;
  return markup`<li>
    ${renderStatus(errors[code].status)}
    <div>
      <code class="body">${renderInlineJson(buildErrorBody(code, route, first))}</code>
      ${
        others.length > 0 &&
        markup`<details>
          <summary>or ${others.length} more, named after the first invalid field</summary>
          ${others.map((text) => markup`<code class="body">${renderInlineJson(buildErrorBody(code, route, text))}</code>`)}
        </details>`
      }
      <a class="code" href="${pathOfError(code)}">${code}</a>
    </div>
  </li>`;
}

/** The route's own errors, and those of every route in a closed list. */
export function renderFaults(route: Route): Html {
  const codes = listErrorCodes(route);
  const listOf = (isOwn: boolean) => codes.filter((item) => item.isOwn === isOwn);
  return markup`${
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
