/** The tRPC surface: a procedure for every operation of the table. */
import { toCardkeepError } from "@cardkeep/domain/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import { initTRPC } from "@trpc/server";
import { resolveResponse } from "@trpc/server/http";
import type { Elysia } from "elysia";
import { checkSize, readBody } from "./body.ts";
import { identify, requestIdOf } from "./caller.ts";
import { allowOrigin } from "./cors.ts";
import { addHeaders, type HeaderSet } from "./headers.ts";
import { observe } from "./observe.ts";
import { type Caller, isAdmitted, type Operation, perform } from "./operation.ts";
import { batchSizeMax, findPlainCalls, type PlainCall } from "./plainCalls.ts";
import { replyError } from "./reply.ts";
import { collectHeaders, formatTrpcError, toTrpcError } from "./trpcErrors.ts";
import { urlOf } from "./url.ts";

/** How a call ended that ran before tRPC's adapter. */
type Outcome = { readonly output: unknown } | { readonly error: unknown };

/** `outcomes` are those of plain calls in their order; null if the adapter runs the calls. */
type TrpcCaller = Caller & { readonly request: Request; readonly outcomes: readonly Outcome[] | null };

const endpoint = "/trpc";

const t = initTRPC.context<TrpcCaller>().create({ errorFormatter: formatTrpcError });

/** The router: the nouns of the table, each with its verbs. */
function createRouter(runtime: Runtime, operations: readonly Operation[]) {
  const nouns = Map.groupBy(operations, (operation) => operation.noun);
  const record = [...nouns].map(([noun, ofNoun]) => [
    noun,
    Object.fromEntries(ofNoun.map((operation) => [operation.verbName, createProcedure(runtime, operation)])),
  ]);
  return t.router(Object.fromEntries(record));
}

function createProcedure(runtime: Runtime, operation: Operation) {
  const resolve = async ({ ctx, input, batchIndex = 0 }: { ctx: TrpcCaller; input?: unknown; batchIndex?: number }) => {
    const outcome = ctx.outcomes?.[batchIndex] ?? (await run(runtime, ctx, { operation, input }));
    if ("output" in outcome) return outcome.output;
    throw toTrpcError(toCardkeepError(outcome.error), operation);
  };
  const { method, input } = operation.route;
  // Without an input, no parser runs.
  if (method === "GET" && !input) return t.procedure.query(resolve);
  // `perform` decodes, so that both surfaces reject the same inputs.
  const procedure = t.procedure.input((raw: unknown) => raw);
  return method === "GET" ? procedure.query(resolve) : procedure.mutation(resolve);
}

/** Runs a call. Never rejects. */
function run(runtime: Runtime, caller: TrpcCaller, { operation, input }: PlainCall): Promise<Outcome> {
  const { requestId } = caller.ctx;
  return observe(runtime, { surface: "trpc", operation, requestId, request: caller.request }, () =>
    perform(operation, caller, () => input ?? {}),
  ).then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  );
}

/** Mounts the router on `/trpc`, with the same body limit as REST. */
export function mountTrpc(app: Elysia, runtime: Runtime, operations: readonly Operation[], common: HeaderSet): void {
  const router = createRouter(runtime, operations);
  const byName = new Map(operations.map((operation) => [operation.name, operation]));

  const answer = async (caller: TrpcCaller, path: string, body: string, headers: HeaderSet): Promise<Response> => {
    const { request } = caller;
    const plain = findPlainCalls(byName, request, path, body);
    const outcomes = plain && (await Promise.all(plain.calls.map((call) => run(runtime, caller, call))));
    if (plain && outcomes?.every((outcome) => "output" in outcome))
      return replyOutputs(
        outcomes.map(({ output }) => output),
        plain.isBatch,
        headers,
      );
    // All adapters of tRPC call this function. The adapter for Request and Response copies each option.
    const response = await resolveResponse({
      router,
      maxBatchSize: batchSizeMax,
      // A query too long for an address travels as POST.
      allowMethodOverride: true,
      req: withBody(request, body),
      path,
      error: null,
      createContext: async () => ({ ...caller, outcomes }),
      responseMeta: ({ errors: faults }) => (faults.length === 0 ? {} : { headers: collectHeaders(faults) }),
    });
    return addHeaders(response, headers);
  };

  const handle = async ({ request, path }: { request: Request; path: string }): Promise<Response> => {
    const origin = request.headers.get("origin");
    const allowed = origin === null ? null : await allowOrigin(runtime, origin);
    const headers = { ...common, "X-Request-Id": requestIdOf(request), ...allowed };
    const procedure = path.slice(endpoint.length + 1).replace(/\/$/, "");
    const caller = { ...identify(app, runtime, request, requestIdOf(request)), request, outcomes: null };
    const bytesMax = byName.get(procedure)?.route.bodyBytesMax;
    const operationsOf = procedure.split(",").flatMap((name) => byName.get(name) ?? []);
    return readText(caller, operationsOf, bytesMax).then(
      (body) => answer(caller, procedure, body, headers),
      (error: unknown) => replyError(toCardkeepError(error), null, headers),
    );
  };
  app.all(`${endpoint}/*`, handle, { parse: "none" });
}

/** What the answers of tRPC's adapter depend on. */
const varyOn = "trpc-accept, accept";

/** The answer of tRPC's adapter to calls without an error. */
function replyOutputs(outputs: readonly unknown[], isBatch: boolean, headers: HeaderSet): Response {
  const results = outputs.map((data) => ({ result: { data } }));
  const { Vary: more } = headers;
  return Response.json(isBatch ? results : results[0], {
    headers: {
      ...headers,
      "Content-Type": "application/json",
      Vary: more === undefined ? varyOn : `${varyOn}, ${more}`,
    },
  });
}

/**
 * The body of a request, within the limits; empty and unread where each of its calls needs a token that the caller lacks.
 * @throws request.too_large, request.invalid_json
 */
async function readText(
  caller: TrpcCaller,
  operations: readonly Operation[],
  bytesMax: number | undefined,
): Promise<string> {
  const admissions = await Promise.all(operations.map(({ route }) => isAdmitted(caller, route)));
  if (!admissions.includes(true)) return "";
  const body = await readBody(caller.request, bytesMax);
  checkSize(body);
  return body;
}

/** The same request with its body. As on REST, the body is JSON for any content type. */
function withBody(request: Request, body: string): Request {
  const { method } = request;
  if (body === "" && (method === "GET" || method === "HEAD") && URL.canParse(request.url)) return request;
  const headers = new Headers(request.headers);
  headers.set("Content-Type", "application/json");
  return new Request(urlOf(request), { method, headers, ...(body !== "" && { body }) });
}
