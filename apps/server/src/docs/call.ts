/** An example as the call that made it. */
import type { Example } from "@cardkeep/contract/examples";
import { listPathParameters, type Route } from "@cardkeep/contract/route";
import { markup, type Html } from "@cardkeep/html/markup";
import { apiPrefix } from "../rest.ts";
import { renderJson } from "./json.ts";

interface Call {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  readonly needsToken: boolean;
  readonly body: unknown;
  /** The same for a shell. */
  readonly curl: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Splits an example's input into path, query and body. */
export function buildCall(route: Route, { input }: Example): Call {
  const names = listPathParameters(route.path);
  const fields = isRecord(input) ? input : {};
  const path = names.reduce(
    (whole, name) => whole.replace(`{${name}}`, encodeURIComponent(String(fields[name] ?? ""))),
    apiPrefix + route.path,
  );
  const rest = Object.entries(fields).filter(([name]) => !names.includes(name));
  const isGet = route.method === "GET";
  const query = new URLSearchParams(rest.map(([name, value]) => [name, String(value)])).toString();
  const target = isGet && query !== "" ? `${path}?${query}` : path;
  const hasBody = !isGet && (isRecord(input) ? rest.length > 0 : input !== undefined);
  const body = hasBody ? (isRecord(input) ? Object.fromEntries(rest) : input) : undefined;
  const needsToken = route.access !== "public";
  return {
    method: route.method,
    target,
    needsToken,
    body,
    curl: buildCurl({ method: route.method, target, needsToken, body }),
  };
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function buildCurl({ method, target, needsToken, body }: Omit<Call, "curl">): string {
  return [
    `curl -X ${method} ${quote(`http://localhost:3000${target}`)}`,
    ...(needsToken ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

/** The call as it goes over the wire. */
export const renderCall = ({ method, target, needsToken, body }: Call): Html =>
  markup`<b>${method}</b> ${target}${
    needsToken && markup`\n<i class="k">Authorization</i>: Bearer &lt;access token&gt;`
  }${body !== undefined && markup`\n<i class="k">Content-Type</i>: application/json\n\n${renderJson(body)}`}`;
