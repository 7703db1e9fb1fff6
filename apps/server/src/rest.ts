/** The REST surface: every operation of the table under `/api/v1`. */
import { apiPrefix, listPaths } from "@cardkeep/contract/core/route";
import { splitInput } from "@cardkeep/contract/core/wireSchema";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { mayBeLarge, readJson, refuseLarge } from "./body.ts";
import { identify, requestIdOf } from "./caller.ts";
import { allowOrigin } from "./cors.ts";
import { buildDeprecationHeaders, type HeaderSet } from "./headers.ts";
import { observe } from "./observe.ts";
import { type ApiOperation, perform } from "./apiOperation.ts";
import { replyError, replyOutput } from "./reply.ts";
import { replyStatement } from "./statements/replyStatement.ts";

const toElysiaPath = (path: string): string => apiPrefix + path.replaceAll(/\{(\w+)\}/g, ":$1");

/** Mounts each operation on its path and its aliases. */
export function mountRest(app: Elysia, runtime: Runtime, operations: readonly ApiOperation[], common: HeaderSet): void {
  for (const operation of operations) {
    const handle = createHandler(app, runtime, operation, common);
    for (const path of listPaths(operation.route)) {
      app.route(operation.route.method, toElysiaPath(path), handle, { parse: "none" });
    }
  }
}

interface Incoming {
  request: Request;
  /** Absent where the path has none; null where its text is no UTF-8. */
  params?: Record<string, string | null>;
}

/** Bun's own routes put this character there. A server that drains has none of them. */
const unreadable = "\ufffd";

const readParams = (params: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value ?? unreadable]));

function createHandler(app: Elysia, runtime: Runtime, operation: ApiOperation, common: HeaderSet) {
  const { name, route } = operation;
  const ofEach = route.path.includes("{") ? null : { ...common, ...buildDeprecationHeaders(name, route, {}) };
  const readInput = createInputReader(operation);
  return async ({ request, params: given = {} }: Incoming): Promise<Response> => {
    const startedAtMs = performance.now();
    const params = readParams(given);
    const requestId = requestIdOf(request);
    const origin = request.headers.get("origin");
    const allowed = origin === null ? null : await allowOrigin(runtime, origin);
    const fixed = ofEach ?? { ...common, ...buildDeprecationHeaders(name, route, params) };
    const headers = { ...fixed, "X-Request-Id": requestId, ...allowed };
    try {
      const isLarge = route.bodyBytesMax !== undefined && mayBeLarge(request);
      const what = { surface: "rest", operation, requestId, request, startedAtMs } as const;
      const output = await observe(runtime, what, (pause) => {
        refuseLarge(request, route.bodyBytesMax);
        const read = async () => mergeInput(await readInput(request, isLarge), params);
        const input = { isLarge, read: isLarge ? () => pause(read) : read };
        return perform(operation, identify(app, runtime, request, requestId), input);
      });
      const other = route.isStatement ? await replyStatement(runtime, output, request, headers) : null;
      return other ?? replyOutput(output, route, headers, request);
    } catch (fault) {
      return replyError(toCardkeepError(fault), route, headers);
    }
  };
}

/** The source of an operation's fields: the query of a GET, otherwise the body if the route takes one. */
function createInputReader({ route }: ApiOperation): (request: Request, isLarge: boolean) => unknown {
  if (route.method === "GET") return ({ url }) => readQuery(url);
  // Found at the first request: for all routes it would double the time in which a server starts.
  let takesBody: boolean | null = null;
  return async (request, isLarge) => {
    takesBody ??= splitInput(route).body !== null;
    const body = request.body === null ? undefined : await readJson(request, isLarge ? route.bodyBytesMax : undefined);
    return takesBody ? (body ?? {}) : {};
  };
}

/** Merges the input; path parameters win over all other fields. */
function mergeInput(base: unknown, params: Record<string, string>): unknown {
  if (typeof base !== "object" || base === null || Array.isArray(base)) return base;
  return { ...base, ...params };
}

function readQuery(url: string): Record<string, string> {
  const at = url.indexOf("?");
  return at === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(at)));
}
