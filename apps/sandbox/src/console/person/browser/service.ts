/**
 * Calls of the page: to the service's public API, and to the sandbox's own routes. Each call is recorded.
 *
 * - exchange: one request with its answer, or one signature of the wallet, as the page shows it.
 */
import type { Route, WireInputOf, WireOutputOf } from "@cardkeep/contract/core/route";
import type { Routes } from "@cardkeep/contract/routes";

export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** Null for a signature. */
  readonly status: number | null;
  readonly curl: string | null;
  readonly typescript: string;
  readonly answer: string;
}

/** An error of the service, with its documented code. */
export class Refused extends Error {
  readonly status: number;
  /** From the catalogue; null where the sandbox itself refused. */
  readonly code: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, code: string | null, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Where the service is, and what the page knows about its operations. */
export interface Service {
  readonly url: string;
  /** Method and path of each operation. */
  readonly operations: Readonly<Record<string, readonly [string, string]>>;
  token(): string | null;
  record(exchange: Exchange): void;
}

export type Noun = keyof Routes & string;
export type Verb<N extends Noun> = keyof Routes[N] & string;
/** What an operation takes, and what it answers, as they travel. */
export type InputAt<N extends Noun, V extends Verb<N>> = Routes[N][V] extends Route ? WireInputOf<Routes[N][V]> : never;
export type OutputAt<N extends Noun, V extends Verb<N>> = Routes[N][V] extends Route
  ? WireOutputOf<Routes[N][V]>
  : never;

type Fields = Readonly<Record<string, unknown>>;

/** Calls one operation of the public API. @throws Refused */
export async function callApi<N extends Noun, V extends Verb<N>>(
  service: Service,
  noun: N,
  verb: V,
  input?: InputAt<N, V>,
): Promise<OutputAt<N, V>> {
  const name = `${noun}.${verb}`;
  const [method = "GET", template = ""] = service.operations[name] ?? [];
  const rest: Record<string, unknown> = Array.isArray(input) ? {} : { ...(input as Fields | undefined) };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(rest[field]);
    delete rest[field];
    return encodeURIComponent(value);
  });
  const isQuery = method === "GET" && Object.keys(rest).length > 0;
  const query = isQuery ? `?${new URLSearchParams(rest as Record<string, string>)}` : "";
  const hasBody = method !== "GET" && (Array.isArray(input) || Object.keys(rest).length > 0);
  const typescript = (token: string | null) =>
    `import { createCardkeepClient } from "@cardkeep/client";

const cardkeep = createCardkeepClient({ url: "${service.url}"${token === null ? "" : `, token: "${token}"`} });
const answer = await cardkeep.${name}.${method === "GET" ? "query" : "mutate"}(${input === undefined ? "" : format(input)});`;
  return (await send(service, {
    method,
    origin: service.url,
    path: `${path}${query}`,
    body: hasBody ? (Array.isArray(input) ? input : rest) : undefined,
    token: service.token(),
    typescript,
  })) as OutputAt<N, V>;
}

/** Calls one of the sandbox's own routes, which play the partners. @throws Refused */
export async function callSandbox(service: Service, method: string, path: string, body?: Fields): Promise<unknown> {
  const isGet = method === "GET";
  const query = isGet && body !== undefined ? `?${new URLSearchParams(body as Record<string, string>)}` : "";
  return send(service, {
    method,
    origin: location.origin,
    path: `${path}${query}`,
    body: isGet ? undefined : body,
    token: null,
    typescript: () =>
      isGet
        ? `const answer = await (await fetch("${location.origin}${path}${query}")).json();`
        : `const response = await fetch("${location.origin}${path}", {
  method: "${method}",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${format(body ?? {})}),
});
const answer = await response.json();`,
  });
}

/** Saves a file of the public API under a name. @throws Refused */
export async function download({ url, token, record }: Service, path: string, name: string): Promise<void> {
  const bearer = token() ?? "";
  const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${bearer}` } });
  const curl = `curl -o ${quote(name)} ${quote(`${url}${path}`)} -H ${quote(`Authorization: Bearer ${bearer}`)}`;
  const answer = response.ok ? `a file of ${response.headers.get("content-type")}` : await response.text();
  const typescript = `const answer = await fetch("${url}${path}", { headers: { Authorization: "Bearer ${bearer}" } });`;
  record({ method: "GET", path, status: response.status, curl, typescript, answer });
  if (!response.ok) throw new Refused(response.status, `The service answered ${response.status}`, null);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

const format = (value: unknown): string => JSON.stringify(value, null, 2);
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

interface Call {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly body: unknown;
  readonly token: string | null;
  typescript(token: string | null): string;
}

async function send(service: Service, { method, origin, path, body, token, typescript }: Call): Promise<unknown> {
  const headers = {
    ...(token !== null && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    ...(text !== undefined && { body: text }),
  }).catch(() => {
    throw new Refused(0, `${origin} does not answer`, null);
  });
  const said = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const answer: unknown = isJson ? JSON.parse(said) : said;
  const parts = [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quote(`${origin}${path}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(text === undefined ? [] : [`-d ${quote(text)}`]),
  ];
  service.record({
    method,
    path,
    status: response.status,
    curl: parts.join(" \\\n  "),
    typescript: typescript(token),
    answer: isJson ? format(answer) : said,
  });
  if (!response.ok) throw readRefusal(response, answer);
  return answer;
}

/** The routes report errors as `{error}`, `{message}`, `{errors: {message}}` or a bare string. */
function readRefusal({ status, headers }: Response, answer: unknown): Refused {
  const body = (typeof answer === "object" && answer !== null ? answer : {}) as Record<string, unknown>;
  const nested = (typeof body["errors"] === "object" && body["errors"] !== null ? body["errors"] : {}) as Fields;
  const text = body["error"] ?? body["message"] ?? nested["message"] ?? answer;
  return new Refused(status, typeof text === "string" ? text : `Status ${status}`, headers.get("x-error-code"), nested);
}
