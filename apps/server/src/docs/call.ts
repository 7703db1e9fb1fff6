/** An example as the request that made it. */
import type { Example } from "@cardkeep/contract/examples";
import { apiPrefix, type Route } from "@cardkeep/contract/route";
import { splitSent } from "@cardkeep/contract/wireSchema";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderJson } from "./json.ts";

interface Call {
  readonly method: string;
  /** The path with its query. */
  readonly target: string;
  readonly needsToken: boolean;
  readonly body: unknown;
  /** The same request for a shell. */
  readonly curl: string;
}

/** The path of one call, with its parameters filled in. */
const fillPath = (route: Route, values: Readonly<Record<string, unknown>>): string =>
  apiPrefix + route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? "")));

/** Puts an example's input into path, query and body. */
export function buildCall(route: Route, { input }: Example): Call {
  const { path, query, body } = splitSent(route, input);
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  const filled = fillPath(route, path);
  const call = {
    method: route.method,
    target: search === "" ? filled : `${filled}?${search}`,
    needsToken: route.access !== "public",
    body,
  };
  return { ...call, curl: buildCurl(call) };
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function buildCurl({ method, target, needsToken, body }: Omit<Call, "curl">): string {
  return [
    `curl -X ${method} ${quote(`http://localhost:3000${target}`)}`,
    ...(needsToken ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

/** The call in the form of HTTP. */
export const renderCall = ({ method, target, needsToken, body }: Call): Html =>
  markup`<b>${method}</b> ${target}${
    needsToken && markup`\n<i class="k">Authorization</i>: Bearer &lt;access token&gt;`
  }${body !== undefined && markup`\n<i class="k">Content-Type</i>: application/json\n\n${renderJson(body)}`}`;
