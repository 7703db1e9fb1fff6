/** The tRPC surface: a procedure for every operation of the table. */
import { type ErrorCode, errors } from "@cardkeep/contract/errorCatalogue";
import { CardkeepError } from "@cardkeep/contract/errors";
import { pathOfError } from "@cardkeep/contract/documents";
import { toCardkeepError } from "@cardkeep/domain/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import { initTRPC, TRPCError } from "@trpc/server";
import { resolveResponse } from "@trpc/server/http";
import type { Elysia } from "elysia";
import { checkDepth, findBodyLimit, readBody } from "./body.ts";
import { identify, requestIdOf } from "./caller.ts";
import { observe } from "./observe.ts";
import { type Caller, type Operation, perform } from "./operation.ts";
import { buildChallenge, describeError, replyError, waitHeaders } from "./reply.ts";
import { urlOf } from "./url.ts";

type TrpcCode = TRPCError["code"];

type TrpcCaller = Caller & { readonly request: Request };

const endpoint = "/trpc";
const batchSizeMax = 10;

const codeByStatus: Readonly<Record<number, TrpcCode>> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
};

/** Errors of tRPC itself, before any procedure runs. */
const ownErrors: Partial<Record<TrpcCode, ErrorCode>> = {
  NOT_FOUND: "request.not_found",
  METHOD_NOT_SUPPORTED: "request.method_not_allowed",
  BAD_REQUEST: "request.invalid",
  PARSE_ERROR: "request.invalid_json",
};

/** tRPC's text for a batch with more calls than `batchSizeMax`. */
const batchTooLarge = "Batch call exceeds maximum size";

const findOwnError = ({ code, message }: TRPCError): ErrorCode | undefined =>
  message === batchTooLarge ? "request.batch_too_large" : ownErrors[code];

const t = initTRPC.context<TrpcCaller>().create({
  errorFormatter: ({ shape, error }) => {
    const fault = toCardkeepError(error.cause ?? error);
    const own = error.cause instanceof SyntaxError ? "request.invalid_json" : findOwnError(error);
    const code = fault.code === "server.internal" ? (own ?? fault.code) : fault.code;
    // The message and stack of a bug are not sent.
    const message = error.cause instanceof CardkeepError ? shape.message : errors[code].text;
    const { stack: _, ...data } = shape.data;
    return {
      ...shape,
      message,
      data: { ...data, error: code, help: pathOfError(code), ...(fault.details && { details: fault.details }) },
    };
  },
});

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
  const resolve = async ({ ctx, input }: { ctx: TrpcCaller; input?: unknown }) => {
    const what = { surface: "trpc", operation, requestId: ctx.ctx.requestId, request: ctx.request } as const;
    try {
      return await observe(runtime, what, () => perform(operation, ctx, input ?? {}));
    } catch (error) {
      throw toTrpcError(toCardkeepError(error), operation);
    }
  };
  const { method, input } = operation.route;
  // Without an input, no parser runs.
  if (method === "GET" && !input) return t.procedure.query(resolve);
  // `perform` decodes, so that both surfaces reject the same inputs.
  const procedure = t.procedure.input((raw: unknown) => raw);
  return method === "GET" ? procedure.query(resolve) : procedure.mutation(resolve);
}

const toTrpcError = (fault: CardkeepError, { route }: Operation): TRPCError =>
  new TRPCError({
    code: codeByStatus[fault.status] ?? "INTERNAL_SERVER_ERROR",
    message: describeError(fault, route),
    cause: fault,
  });

/** Headers of a batch: the longest wait among its errors, and the challenge of a 401. */
function collectHeaders(faults: readonly TRPCError[]): Headers {
  const mapped = faults.map((fault) => toCardkeepError(fault.cause ?? fault));
  const [longest] = mapped.toSorted((a, b) => (b.retryAfterSeconds ?? 0) - (a.retryAfterSeconds ?? 0));
  const isUnauthorized = mapped.some(({ status }) => status === 401);
  return new Headers({ ...(isUnauthorized && buildChallenge(401)), ...(longest && waitHeaders(longest)) });
}

/** Mounts the router on `/trpc`, with the same body limit as REST. */
export function mountTrpc(app: Elysia, runtime: Runtime, operations: readonly Operation[]): void {
  const router = createRouter(runtime, operations);
  const handle = async ({ request, path }: { request: Request; path: string }) => {
    const requestId = requestIdOf(request);
    const procedure = path.slice(endpoint.length + 1).replace(/\/$/, "");
    const route = operations.find(({ name }) => name === procedure)?.route;
    return withReadBody(request, findBodyLimit(request, route)).then(
      // All adapters of tRPC call this function. The adapter for Request and Response copies each option.
      (req) =>
        resolveResponse({
          router,
          maxBatchSize: batchSizeMax,
          // A query too long for an address travels as POST.
          allowMethodOverride: true,
          req,
          path: procedure,
          error: null,
          createContext: async () => ({ ...identify(app, runtime, request, requestId), request }),
          responseMeta: ({ errors: faults }) => (faults.length === 0 ? {} : { headers: collectHeaders(faults) }),
        }),
      (error: unknown) => replyError(toCardkeepError(error), null),
    );
  };
  app.all(`${endpoint}/*`, handle, { parse: "none" });
}

/**
 * The same request with its body read, within the limits. As on REST, the body is JSON for any content type.
 * @throws request.too_large, request.invalid_json
 */
async function withReadBody(request: Request, bytesMax: number | undefined): Promise<Request> {
  const { method } = request;
  const body = await readBody(request, bytesMax);
  if (body === "" && (method === "GET" || method === "HEAD") && URL.canParse(request.url)) return request;
  checkDepth(body);
  const headers = new Headers(request.headers);
  headers.set("Content-Type", "application/json");
  return new Request(urlOf(request), { method, headers, ...(body !== "" && { body }) });
}
