/** The page of the error codes, in a table for each family. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { commonErrors, type ErrorCode, errors } from "@cardkeep/contract/core/errorCatalogue";
import { pathOfRoute } from "@cardkeep/contract/openapi/documents";
import { isTokenError, listRoutes } from "@cardkeep/contract/core/route";
import { isOfSchema } from "@cardkeep/contract/core/routeErrors";
import { routes } from "@cardkeep/contract/routes";
import { type Html, markup, prose } from "@cardkeep/html/markup";
import { renderStatus } from "./faults.ts";
import { renderHeading, renderLink } from "./heading.ts";

/** More routes than this stand in a closed list. */
const usersShownMax = 6;

const all = listRoutes(routes);

function renderUsers(code: ErrorCode): Html {
  if (code === "users.deactivated") return markup`every change of a user's except the withdrawal`;
  if (code.startsWith("idempotency.")) return markup`<a href="/docs#idempotency">every route that takes a key</a>`;
  if (commonErrors.includes(code)) return markup`every route`;
  if (isTokenError(code)) return markup`every route that needs a token`;
  const users = all.filter(({ route }) => route.errors.includes(code));
  if (users.length === 0)
    return code.startsWith("request.") ? markup`paths and methods without a route` : markup`operator and sandbox`;
  const links = markup`${users.map(({ name }, index) => markup`${index > 0 && ", "}<a href="${pathOfRoute(name)}">${name}</a>`)}`;
  return users.length <= usersShownMax
    ? links
    : markup`<details><summary>${users.length} routes</summary>${links}</details>`;
}

/** The text of an error, or the part of it that varies. */
export const describeText = (code: ErrorCode): string =>
  isOfSchema(code) ? "Names the first invalid field" : errors[code].text;

function renderOccasion(code: ErrorCode): Html | null {
  const { occasion } = errors[code];
  return occasion === undefined ? null : markup`<p class="meta">${prose(occasion)}</p>`;
}

// The catalogue's keys are its codes.
const codes = keysOf(errors);

/** The codes by their first word, in the catalogue's order. */
export const errorFamilies: ReadonlyMap<string, readonly ErrorCode[]> = Map.groupBy(
  codes,
  (code) => code.split(".")[0] ?? code,
);

const renderRow = (code: ErrorCode): Html =>
  markup`<tr class="entry" id="error-${code}">
    <td><code>${code}</code> ${renderLink(`error-${code}`)}</td>
    <td>${renderStatus(errors[code].status)}</td>
    <td>${describeText(code)}${renderOccasion(code)}</td>
    <td>${renderUsers(code)}</td>
  </tr>`;

const renderFamily = ([family, ofFamily]: readonly [string, readonly ErrorCode[]]): Html =>
  markup`<section id="errors-${family}">
    ${renderHeading(2, `errors-${family}`, family)}
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
        ${ofFamily.map(renderRow)}
      </tbody>
    </table>
  </section>`;

export const renderErrors = (): Html => markup`${[...errorFamilies].map(renderFamily)}`;
