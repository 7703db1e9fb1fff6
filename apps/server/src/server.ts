/** The server: REST, tRPC, callbacks, documents and health on one port. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { routes } from "@cardkeep/contract/routes";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import { stopLimits } from "@cardkeep/runtime/stopLimits";
import { Elysia } from "elysia";
import pTimeout from "p-timeout";
import { requestIdOf } from "./caller.ts";
import { allowOrigin, mountPreflight } from "./cors.ts";
import { mountDocs } from "./docs.ts";
import { mountBooks } from "./books.ts";
import { addHeaders, buildSecurityHeaders } from "./headers.ts";
import { mountHealth } from "./health.ts";
import { mountConsent } from "./consent.ts";
import { mountConsentEmail } from "./consentEmail.ts";
import { mountContactPage } from "./contactPage.ts";
import { mountInbound } from "./inbound.ts";
import { mountLanding } from "./landing.ts";
import { answerMissing } from "./missingPage.ts";
import { finishes } from "./finishes.ts";
import { listOperations } from "./apiOperation.ts";
import { mountOperator } from "./operator.ts";
import { replyError } from "./reply.ts";
import { logError } from "./observe.ts";
import { mountRest } from "./rest.ts";
import { mountTerms } from "./terms.ts";
import { mountTrpc } from "./trpc.ts";
import { urlOf } from "./url.ts";
import { verbs } from "./verbs.ts";

export interface Server {
  /** Answers a request without a socket. */
  handle(request: Request): Promise<Response>;
  /** Listens on a port, 0 for any free one, and returns the port. */
  listen(port: number): number;
  /**
   * Continues to serve, with `/readyz` 503 and `Connection: close` in every answer, so that proxies and clients with open
   * connections go elsewhere.
   */
  drain(): void;
  /** Stops accepting connections and waits for requests in flight, 17 s at most. */
  stop(): Promise<void>;
}

/** Closes a connection that sends nothing for so long. This also limits a body that arrives byte by byte. */
const idleSeconds = 30;

/**
 * No limit of Bun's: it closes the connection, mostly before the client reads why. `readBody` has ours and answers with
 * a code. Bun discards a body that no route reads.
 */
const maxRequestBodySize = Number.MAX_SAFE_INTEGER;

/** Composes the server of one runtime. */
export function createServer(runtime: Runtime, { idleTimeout = idleSeconds } = {}): Server {
  // Hides uncaught errors: Bun's default page would show the source around the error.
  const error = (cause: Error) => {
    const fault = new CardkeepError("server.internal", { cause });
    logError(runtime, fault, {});
    return replyError(fault, null);
  };
  const app = new Elysia({ serve: { maxRequestBodySize, idleTimeout, development: false, error } });
  const operations = listOperations(routes, verbs, finishes, !runtime.settings.production);
  mountPreflight(app, runtime);
  const securityHeaders = buildSecurityHeaders(runtime.settings);
  const dress = async (request: Request, response: Response): Promise<Response> => {
    const origin = request.headers.get("origin");
    const allowed = origin === null ? {} : await allowOrigin(runtime, origin);
    return addHeaders(response, { "X-Request-Id": requestIdOf(request), ...securityHeaders, ...allowed });
  };
  const listMethods = createMethodList(app);
  // Before all routes: one mounted earlier would send the text of what it throws.
  app.onError(({ code, error, request }) => {
    const requestId = requestIdOf(request);
    // A known path with another method is a 405; every other unknown request is a 404.
    const methods = code === "NOT_FOUND" ? listMethods(request) : [];
    const missing = methods.length > 0 ? "request.method_not_allowed" : "request.not_found";
    const fault = code === "NOT_FOUND" ? new CardkeepError(missing) : toCardkeepError(error);
    logError(runtime, fault, { requestId });
    const page = code === "NOT_FOUND" ? answerMissing(runtime.settings, request) : null;
    return dress(request, page ?? replyError(fault, null, methods.length > 0 ? { Allow: methods.join(", ") } : {}));
  });
  mountRest(app, runtime, operations, securityHeaders);
  mountTrpc(app, runtime, operations, securityHeaders);
  // For routes mounted after this line. Routes of operations write their headers at once, which is faster.
  app.onAfterHandle(({ request, response }) => (response instanceof Response ? dress(request, response) : undefined));
  let isDraining = false;
  mountHealth(app, runtime, () => isDraining);
  mountLanding(app, runtime, () => isDraining);
  mountInbound(app, runtime);
  mountConsent(app, runtime);
  mountConsentEmail(app, runtime);
  mountContactPage(app, runtime);
  mountTerms(app, runtime);
  mountBooks(app, runtime);
  mountDocs(app, runtime);
  mountOperator(app, runtime);
  app.get("/.well-known/jwks.json", () => Response.json(runtime.services.accessTokens.publicKeys));
  return {
    handle: (request) => app.handle(request),
    listen: (port) => {
      app.listen(port);
      if (app.server?.port === undefined)
        throw new Error(`Port ${port} could not be opened. Stop the other program or set PORT.`);
      return app.server.port;
    },
    drain: () => {
      isDraining = true;
      const fetch = async (request: Request): Promise<Response> =>
        addHeaders(await app.fetch(request), { Connection: "close" });
      // Without routes of Bun's own, every request passes through this function.
      app.server?.reload({ routes: {}, fetch, error });
    },
    stop: async () => {
      // A client that sends its body slowly must not hold the process.
      await pTimeout(Promise.resolve(app.server?.stop()), { milliseconds: stopLimits.requestsMs, fallback: () => {} });
      await app.server?.stop(true);
    },
  };
}

/** Lists the methods of a request's path; none for an unknown path. */
function createMethodList(app: Elysia): (request: Request) => string[] {
  const readPatterns = () =>
    // A path that takes every method misses no request by its method.
    app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ path, method }) => {
        const pattern = path.replaceAll(/[.+]/g, "\\$&").replaceAll(/:\w+/g, "[^/]+").replaceAll("*", ".*");
        return { method, pattern: new RegExp(`^${pattern}/?$`) };
      });
  // Once all are mounted, for the first request that no route takes.
  let patterns: ReturnType<typeof readPatterns> | null = null;
  return (request) => {
    const { pathname } = urlOf(request);
    patterns ??= readPatterns();
    return [...new Set(patterns.flatMap(({ pattern, method }) => (pattern.test(pathname) ? [method] : [])))];
  };
}
