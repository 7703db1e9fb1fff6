/** One request of a route, as plain data that the server and the page's script share. */

export interface Call {
  /** The route's tRPC name. */
  readonly name: string;
  readonly method: string;
  /** The path with the prefix; `{name}` marks a parameter. */
  readonly path: string;
  /** Where clients reach the server. */
  readonly origin: string;
  /** The environment variable of the samples that holds the token, or null where the route needs none. */
  readonly tokenName: "TOKEN" | "PARTNER_KEY" | null;
  /** Values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Absent without a body. */
  readonly body?: unknown;
}

/** The path and query of a call, with its parameters filled in. */
export function fillPath({ path, parameters, query }: Call): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
  const given = Object.entries(query).filter(([, value]) => value !== "");
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`;
}

/** The input of a call in the form of tRPC: path, query and body in one; undefined without any. */
export function joinInput({ parameters, query, body }: Call): unknown {
  if (Array.isArray(body)) return body;
  const input = { ...parameters, ...query, ...(typeof body === "object" ? body : {}) };
  return Object.keys(input).length === 0 ? undefined : input;
}
