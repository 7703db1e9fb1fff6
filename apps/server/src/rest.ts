/** The REST surface: every operation of the table under `/api/v1`. */
import type { CardkeepError } from "@cardkeep/contract/errors";
import { listPaths } from "@cardkeep/contract/route";
import { toFault } from "@cardkeep/domain/faults";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { readJson } from "./body.ts";
import { identify, requestIdOf } from "./caller.ts";
import { type Operation, perform } from "./operation.ts";
import { replyFault, replyOutput } from "./reply.ts";

export const apiPrefix = "/api/v1";

const toElysiaPath = (path: string): string => apiPrefix + path.replaceAll(/\{(\w+)\}/g, ":$1");

/** Mounts each operation on its path and its aliases. */
export function mountRest(app: Elysia, runtime: Runtime, operations: readonly Operation[]): void {
  for (const operation of operations) {
    for (const path of listPaths(operation.route)) {
      app.route(
        operation.route.method,
        toElysiaPath(path),
        ({ request, params }: { request: Request; params: Record<string, string> }) =>
          answer(runtime, operation, request, params),
        { parse: "none" },
      );
    }
  }
}

async function answer(
  runtime: Runtime,
  operation: Operation,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const requestId = requestIdOf(request);
  const response = await respond(runtime, operation, request, params, requestId);
  response.headers.set("X-Request-Id", requestId);
  return response;
}

async function respond(
  runtime: Runtime,
  operation: Operation,
  request: Request,
  params: Record<string, string>,
  requestId: string,
): Promise<Response> {
  const { route } = operation;
  try {
    const body = await readJson(request);
    const caller = identify(runtime, request, requestId);
    return replyOutput(await perform(operation, caller, mergeInput(operation, request, body, params)), route);
  } catch (error) {
    const fault = toFault(error);
    logFault(runtime, fault, { requestId, operation: operation.name });
    return replyFault(fault, route);
  }
}

/** One raw input: the query for GET, the body for everything else, and the path above both. */
function mergeInput(operation: Operation, request: Request, body: unknown, params: Record<string, string>): unknown {
  const isGet = operation.route.method === "GET";
  const base = isGet ? Object.fromEntries(new URL(request.url).searchParams) : (body ?? {});
  if (typeof base !== "object" || base === null || Array.isArray(base)) return base;
  return { ...base, ...params };
}

/** Expected faults are news, foreign ones a warning, bugs an error with everything we know. */
export function logFault(runtime: Runtime, fault: CardkeepError, fields: object): void {
  const details = { ...fields, code: fault.code };
  if (fault.status < 500) runtime.log.info(details, "refused");
  else if (fault.code === "server.internal") runtime.log.error({ ...details, err: fault.cause }, "failed");
  else runtime.log.warn({ ...details, err: fault.cause }, "unavailable");
}
