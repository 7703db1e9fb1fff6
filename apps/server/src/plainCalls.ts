/**
 * Plain calls: known procedures of one kind, asked with their method, with JSON in and out.
 *
 * tRPC's own adapter takes longer for such a request than most reads take, so the server runs them itself. A test holds
 * both against each other.
 */
import type { ApiOperation } from "./apiOperation.ts";

export interface PlainCall {
  readonly operation: ApiOperation;
  /** Undefined without an input. */
  readonly input: unknown;
}

/** The calls of a request in their order. */
export interface PlainCalls {
  /** Whether the answer is a list. */
  readonly isBatch: boolean;
  readonly calls: readonly PlainCall[];
}

export const batchSizeMax = 50;

/** Finds the plain calls of a request with its path below the endpoint; null for a request that tRPC's adapter answers. */
export function findPlainCalls(
  operations: ReadonlyMap<string, ApiOperation>,
  request: Request,
  path: string,
  body: string,
): PlainCalls | null {
  const { method, url, headers } = request;
  const isGet = method === "GET";
  if (isGet ? body !== "" || !isJson(headers) : method !== "POST") return null;
  if (wantsStream(headers) || url.includes("#")) return null;
  const at = url.indexOf("?");
  const query = at === -1 ? null : new URLSearchParams(url.slice(at));
  if (query?.has("connectionParams")) return null;
  const isBatch = query?.get("batch") === "1";
  const names = isBatch ? path.split(",") : [path];
  if (names.length > batchSizeMax) return null;
  const found = names.flatMap((name) => operations.get(name) ?? []);
  // A query may come as POST; a mutation never as GET.
  const areQueries = found[0]?.route.method === "GET";
  if (found.length < names.length || (isGet && !areQueries)) return null;
  if (found.some(({ route }) => (route.method === "GET") !== areQueries)) return null;
  const inputs = readInputs((isGet ? query?.get("input") : body) ?? "", isBatch);
  return inputs && { isBatch, calls: found.map((operation, index) => ({ operation, input: inputs[index] })) };
}

const isJson = (headers: Headers): boolean => {
  const type = headers.get("content-type");
  return type === null || type === "application/json";
};

const wantsStream = (headers: Headers): boolean =>
  headers.has("trpc-accept") || (headers.get("accept")?.includes("jsonl") ?? false);

/** The inputs by the position of their call; null for another text than tRPC sends. */
function readInputs(text: string, isBatch: boolean): Readonly<Record<number, unknown>> | null {
  if (text === "") return [];
  try {
    const inputs: unknown = JSON.parse(text);
    if (!isBatch) return [inputs];
    return typeof inputs === "object" && !Array.isArray(inputs) ? (inputs as Record<number, unknown> | null) : null;
  } catch {
    return null;
  }
}
