/** The example of a route as the request that made it. */
import type { Example } from "@cardkeep/contract/openapi/examples";
import { apiPrefix, type Route } from "@cardkeep/contract/core/route";
import { splitSent } from "@cardkeep/contract/core/wireSchema";
import type { Call } from "./samples/call.ts";

const toTexts = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

const tokenNames = { public: null, wallet: "TOKEN", user: "TOKEN", partner: "PARTNER_KEY" } as const;

/** Puts an example's input into path, query and body. `origin` is where clients reach the server. */
export function buildCall(name: string, route: Route, { input }: Example, origin: string): Call {
  const { path, query, body } = splitSent(route, input);
  return {
    name,
    method: route.method,
    path: apiPrefix + route.path,
    origin,
    tokenName: tokenNames[route.access],
    parameters: toTexts(path),
    query: toTexts(query),
    ...(body !== undefined && { body }),
  };
}
