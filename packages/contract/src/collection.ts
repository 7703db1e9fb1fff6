/**
 * A collection of requests for Postman, Bruno and whatever else reads Postman's format 2.1, derived from the route table
 * and the examples: a folder for each noun, a request for each route.
 */
import type { Example } from "./examples.ts";
import { apiPrefix, listRoutes, type Route, type RouteTable } from "./route.ts";
import { splitInput, splitSent, type WireField } from "./wire.ts";

type Json = Record<string, unknown>;

interface Input {
  /** Where clients reach the server. */
  serverUrl: string;
  /** By noun of the table. */
  nouns: Readonly<Record<string, { title: string; summary: string }>>;
  /** By tRPC name. */
  examples: Readonly<Record<string, Example>>;
}

const description = `Every operation of the card and account service, each with an example that was taken from a running one.

Set \`baseUrl\` to your service. \`auth.nonce\` gives a nonce, which a wallet signs in an EIP-4361 message; \`auth.challenge\`
and \`auth.signUp\` keep the token that they answer in \`token\`, which all other requests send.`;

/** The collection of a table, its folders in the table's order. */
export function buildCollection(table: RouteTable, { serverUrl, nouns, examples }: Input): Json {
  const all = listRoutes(table);
  return {
    info: {
      name: "Cardkeep",
      description,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: bearer("token"),
    variable: [
      { key: "baseUrl", value: serverUrl, type: "string" },
      { key: "token", value: "", type: "string", description: "Access token; the sign-in requests set it" },
      { key: "partnerKey", value: "", type: "string", description: "API key of a partner, for its own requests" },
    ],
    item: Object.keys(table).map((noun) => ({
      name: nouns[noun]?.title ?? noun,
      description: nouns[noun]?.summary ?? noun,
      item: all
        .filter((entry) => entry.noun === noun)
        .map(({ name, route }) => describeItem(name, route, examples[name] ?? { output: null })),
    })),
  };
}

const bearer = (variable: string): Json => ({
  type: "bearer",
  bearer: [{ key: "token", value: `{{${variable}}}`, type: "string" }],
});

/** What a request sends instead of the collection's token. */
const ownAuth: Readonly<Record<Route["access"], Json | null>> = {
  public: { type: "noauth" },
  wallet: null,
  user: null,
  partner: bearer("partnerKey"),
};

const jsonHeader = { key: "Content-Type", value: "application/json" };

function describeItem(name: string, route: Route, example: Example): Json {
  const auth = ownAuth[route.access];
  const { body } = splitSent(route, example.input);
  const request = {
    method: route.method,
    description: describeRoute(route),
    header: body === undefined ? [] : [jsonHeader],
    url: describeUrl(route, example),
    ...(auth && { auth }),
    ...(body !== undefined && {
      body: { mode: "raw", raw: JSON.stringify(body, null, 2), options: { raw: { language: "json" } } },
    }),
  };
  const answer = {
    name: "Success",
    originalRequest: request,
    code: route.status ?? 200,
    header: route.plainText ? [{ key: "Content-Type", value: "text/plain" }] : [jsonHeader],
    body: route.plainText ? String(example.output) : JSON.stringify(example.output, null, 2),
  };
  return { name, request, ...(keepsToken(name, example) && { event: [keepToken] }), response: [answer] };
}

const describeRoute = ({ summary, deprecated, aliases = [] }: Route): string =>
  [
    `${summary}.`,
    ...(aliases.length > 0 ? [`Also at ${aliases.map((alias) => apiPrefix + alias).join(", ")}.`] : []),
    ...(deprecated
      ? [`Deprecated${deprecated.successor === null ? "" : `: use ${apiPrefix}${deprecated.successor}`}.`]
      : []),
  ].join("\n\n");

function describeUrl(route: Route, { input }: Example): Json {
  const fields = splitInput(route);
  const sent = splitSent(route, input);
  const segments = `${apiPrefix}${route.path}`.slice(1).replaceAll(/\{(\w+)\}/g, ":$1");
  const query = fields.query.map((field) => ({
    ...describeField(field, sent.query),
    ...(sent.query[field.name] === undefined && { disabled: true }),
  }));
  const search = query.filter((field) => !("disabled" in field)).map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `{{baseUrl}}/${segments}${search.length > 0 ? `?${search.join("&")}` : ""}`,
    host: ["{{baseUrl}}"],
    path: segments.split("/"),
    ...(query.length > 0 && { query }),
    ...(fields.path.length > 0 && { variable: fields.path.map((field) => describeField(field, sent.path)) }),
  };
}

const describeField = ({ name, schema }: WireField, sent: Readonly<Record<string, unknown>>) => ({
  key: name,
  value: sent[name] === undefined ? "" : encodeURIComponent(String(sent[name])),
  ...(schema.description !== undefined && { description: schema.description }),
});

/** The tokens of sign-in and sign-up are the ones to go on with. */
const keepsToken = (name: string, { output }: Example): boolean =>
  name.startsWith("auth.") && typeof output === "object" && output !== null && "token" in output;

const keepToken = {
  listen: "test",
  script: {
    type: "text/javascript",
    exec: ['if (pm.response.code === 200) pm.collectionVariables.set("token", pm.response.json().token);'],
  },
};
