/** The server: REST, tRPC, callbacks, documents and health on one port. */
import { CardkeepError } from "@cardkeep/contract/errors";
import { listPaths, listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import type { Runtime } from "@cardkeep/runtime/compose";
import { Elysia } from "elysia";
import { requestIdOf } from "./caller.ts";
import { mountCors } from "./cors.ts";
import { mountDocs } from "./docs.ts";
import { mountHealth } from "./health.ts";
import { mountInbound } from "./inbound.ts";
import { listOperations } from "./operation.ts";
import { replyFault } from "./reply.ts";
import { logFault } from "./observe.ts";
import { apiPrefix, mountRest } from "./rest.ts";
import { mountTerms } from "./terms.ts";
import { mountTrpc } from "./trpc.ts";
import { verbs } from "./verbs.ts";

export interface Server {
  /** Answers a request without a socket. */
  handle(request: Request): Promise<Response>;
  /** Listens on a port, 0 for any free one, and answers which. */
  listen(port: number): number;
  /** Stops accepting, and waits for requests in flight. */
  stop(): Promise<void>;
}

/** Composes the server of one runtime. */
export function createServer(runtime: Runtime): Server {
  const app = new Elysia({ serve: { maxRequestBodySize: 16 * 1024 * 1024, idleTimeout: 30 } });
  const operations = listOperations(routes, verbs, !runtime.settings.production);
  mountCors(app, runtime);
  mountHealth(app, runtime);
  mountInbound(app, runtime);
  mountTerms(app, runtime);
  mountRest(app, runtime, operations);
  mountTrpc(app, runtime, operations);
  mountDocs(app, runtime);
  app.get("/.well-known/jwks.json", () => Response.json(runtime.services.accessTokens.publicKeys));
  app.onError(({ code, error, request }) => {
    const requestId = requestIdOf(request);
    const fault = code === "NOT_FOUND" ? findMissing(request) : new CardkeepError("server.internal", { cause: error });
    logFault(runtime, fault, { requestId });
    const response = replyFault(fault, null);
    response.headers.set("X-Request-Id", requestId);
    return response;
  });
  return {
    handle: (request) => app.handle(request),
    listen: (port) => {
      app.listen(port);
      if (app.server?.port === undefined) throw new Error(`Port ${port} could not be opened`);
      return app.server.port;
    },
    stop: async () => {
      await app.server?.stop();
    },
  };
}

const pathPatterns = listRoutes(routes).flatMap(({ route }) =>
  listPaths(route).map((path) => new RegExp(`^${apiPrefix}${path.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`)),
);

/** A known path asked with another method is a 405, everything else unknown a 404. */
function findMissing(request: Request): CardkeepError {
  const { pathname } = new URL(request.url);
  const isKnown = pathPatterns.some((pattern) => pattern.test(pathname));
  return new CardkeepError(isKnown ? "request.method_not_allowed" : "request.not_found");
}
