/** The tRPC surface: a procedure for every operation of the table. */
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import { initTRPC } from "@trpc/server";
import { resolveResponse } from "@trpc/server/http";
import type { Elysia } from "elysia";
import { checkSize, mayBeLarge, readBody, readJson } from "./body.ts";
import { identify, requestIdOf } from "./caller.ts";
import { allowOrigin } from "./cors.ts";
import { withDeadline } from "./deadline.ts";
import { addHeaders, type HeaderSet } from "./headers.ts";
import { observe } from "./observe.ts";
import { type Caller, isAdmitted } from "./admission.ts";
import { type ApiOperation, perform } from "./apiOperation.ts";
import { batchSizeMax, findPlainCalls, type PlainCall } from "./plainCalls.ts";
import { replyError } from "./reply.ts";
import { collectHeaders, formatTrpcError, toTrpcError } from "./trpcErrors.ts";
import { createGate } from "@cardkeep/domain/core/gate";
import { urlOf } from "./url.ts";

/** How a call ended that ran before tRPC's adapter. */
type Outcome = { readonly output: unknown } | { readonly error: unknown };

interface TrpcCaller extends Caller {
  readonly request: Request;
  readonly startedAtMs: number;
  /** Those of plain calls in their order; null if the adapter runs the calls. */
  readonly outcomes: readonly Outcome[] | null;
}

const endpoint = "/trpc";

const t = initTRPC.context<TrpcCaller>().create({ errorFormatter: formatTrpcError });

/** The router: the nouns of the table, each with its verbs. */
function createRouter(runtime: Runtime, operations: readonly ApiOperation[]) {
  const nouns = Map.groupBy(operations, (operation) => operation.noun);
  const record = [...nouns].map(([noun, ofNoun]) => [
    noun,
    Object.fromEntries(ofNoun.map((operation) => [operation.verbName, createProcedure(runtime, operation)])),
  ]);
  return t.router(Object.fromEntries(record));
}

function createProcedure(runtime: Runtime, operation: ApiOperation) {
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
const run = (runtime: Runtime, caller: TrpcCaller, { operation, input }: PlainCall): Promise<Outcome> =>
  runLater(runtime, caller, { operation, isLarge: false, read: () => input ?? {} });

/** Runs a call whose input is read once the caller is admitted and counted. Never rejects. */
function runLater(
  runtime: Runtime,
  caller: TrpcCaller,
  { operation, isLarge, read }: { operation: ApiOperation; isLarge: boolean; read: () => unknown },
): Promise<Outcome> {
  const { request, startedAtMs } = caller;
  const { requestId } = caller.ctx;
  return observe(runtime, { surface: "trpc", operation, requestId, request, startedAtMs }, (pause) =>
    perform(operation, caller, { isLarge, read: isLarge ? () => pause(async () => read()) : read }),
  ).then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  );
}

/** Mounts the router on `/trpc`, with the same body limit as REST. */
export function mountTrpc(app: Elysia, runtime: Runtime, operations: readonly ApiOperation[], common: HeaderSet): void {
  const router = createRouter(runtime, operations);
  const gate = createGate({ pauseMs: 20, waitingMax: 20 });
  const byName = new Map(operations.map((operation) => [operation.name, operation]));

  const answer = async (caller: TrpcCaller, path: string, body: string, headers: HeaderSet): Promise<Response> => {
    const plain = findPlainCalls(byName, caller.request, path, body);
    const outcomes = plain && (await Promise.all(plain.calls.map((call) => run(runtime, caller, call))));
    return reply(caller, { path, body, outcomes, isBatch: plain?.isBatch ?? false }, headers);
  };

  /** A large body is read after the quota is asked; a batch has no such body. */
  const answerLarge = async (caller: TrpcCaller, operation: ApiOperation, headers: HeaderSet): Promise<Response> => {
    const isLarge = mayBeLarge(caller.request);
    const bytesMax = isLarge ? operation.route.bodyBytesMax : undefined;
    const read = async () => (await readJson(caller.request, bytesMax)) ?? {};
    const outcomes = [await runLater(runtime, caller, { operation, isLarge, read })];
    return reply(caller, { path: operation.name, body: "", outcomes, isBatch: false }, headers);
  };

  const reply = async (
    caller: TrpcCaller,
    {
      path,
      body,
      outcomes,
      isBatch,
    }: { path: string; body: string; outcomes: readonly Outcome[] | null; isBatch: boolean },
    headers: HeaderSet,
  ): Promise<Response> => {
    const { request } = caller;
    if (outcomes?.every((outcome) => "output" in outcome))
      return replyOutputs(
        outcomes.map(({ output }) => output),
        isBatch,
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
    const startedAtMs = performance.now();
    const origin = request.headers.get("origin");
    const allowed = origin === null ? null : await allowOrigin(runtime, origin);
    const headers = { ...common, "X-Request-Id": requestIdOf(request), ...allowed };
    const procedure = path.slice(endpoint.length + 1).replace(/\/$/, "");
    const identified = identify(app, runtime, request, requestIdOf(request));
    const caller: TrpcCaller = { ...limitTime(identified, startedAtMs), request, startedAtMs, outcomes: null };
    const operation = byName.get(procedure);
    if (operation?.route.bodyBytesMax !== undefined && request.method === "POST" && !isBatchOf(request))
      return answerLarge(caller, operation, headers);
    const operationsOf = procedure.split(",").flatMap((name) => byName.get(name) ?? []);
    const answerAll = async (): Promise<Response> => {
      const isLong = operationsOf.length > strangersCallsMax && (await isStranger(caller, operationsOf));
      // Before the turn: a body may take a minute to arrive.
      const body = await readText(caller, operationsOf);
      const run = () => answer(caller, procedure, body, headers);
      return isLong ? gate.take(run) : run();
    };
    return answerAll().catch((error: unknown) => replyError(toCardkeepError(error), null, headers));
  };
  app.all(`${endpoint}/*`, handle, { parse: "none" });
}

/** The same caller, whose token is looked up in the time of its calls: the server asks for it before they begin. */
const limitTime = (caller: Caller, startedAtMs: number): Caller => ({
  ...caller,
  authenticate: () => withDeadline(caller.authenticate, startedAtMs),
  authenticatePartner: () => withDeadline(caller.authenticatePartner, startedAtMs),
});

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
async function readText(caller: TrpcCaller, operations: readonly ApiOperation[]): Promise<string> {
  if (!(await isAnyAdmitted(caller, operations))) return "";
  const body = await readBody(caller.request);
  checkSize(body);
  return body;
}

/** More calls of a stranger in one request wait for their turn: fifty take as much time as fifty requests. */
const strangersCallsMax = 5;

/** Whether a caller has neither the token of a user nor the key of a partner. A wallet without a user costs nothing. */
async function isStranger(caller: TrpcCaller, operations: readonly ApiOperation[]): Promise<boolean> {
  const actor = await caller.authenticate().catch(() => null);
  if (actor !== null && typeof actor !== "string" && actor.userId !== null) return false;
  const ofPartners = operations.filter(({ route }) => route.access === "partner");
  return !(await isAnyAdmitted(caller, ofPartners));
}

/** Whether a caller has the token of any of the calls. Where none can be looked up, each call fails by itself, in tRPC's form. */
async function isAnyAdmitted(caller: TrpcCaller, operations: readonly ApiOperation[]): Promise<boolean> {
  const admissions = await Promise.all(operations.map(({ route }) => isAdmitted(caller, route).catch(() => false)));
  return admissions.includes(true);
}

const isBatchOf = ({ url }: Request): boolean => /[?&]batch=1(&|#|$)/.test(url);

/** The same request with its body. As on REST, the body is JSON for any content type. */
function withBody(request: Request, body: string): Request {
  const { method } = request;
  if (body === "" && (method === "GET" || method === "HEAD") && URL.canParse(request.url)) return request;
  const headers = new Headers(request.headers);
  headers.set("Content-Type", "application/json");
  return new Request(urlOf(request), { method, headers, ...(body !== "" && { body }) });
}
