import { createContext } from "@cardkeep/domain/context";
import type { Log } from "@cardkeep/domain/log";
import { authenticatePartner } from "@cardkeep/domain/partners/keys";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { randomUUID } from "node:crypto";
import type { Caller } from "./operation.ts";
import { findSourceAddress, networkOf } from "./sourceAddress.ts";

const wellFormedRequestId = /^[\w.-]{1,64}$/;

/** A trace that the client is in already (W3C Trace Context): its id is as good a name as any. */
const traceparent = /^00-((?!0{32})[0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

const nobody = Promise.resolve(null);

const ownIds = new WeakMap<Request, string>();

/**
 * The request's id, the same whenever it is asked for: the client's own where it is harmless, else that of the client's
 * trace, else one of ours.
 */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  if (given !== null && wellFormedRequestId.test(given)) return given;
  const [, traceId] = traceparent.exec(request.headers.get("traceparent") ?? "") ?? [];
  if (traceId !== undefined) return traceId;
  const own = ownIds.get(request) ?? randomUUID();
  ownIds.set(request, own);
  return own;
}

/** Who is asking the server `app`. */
export function identify(app: Elysia, runtime: Runtime, request: Request, requestId: string): Caller {
  const authorization = request.headers.get("authorization") ?? "";
  const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization) ?? [];
  const ctx = createContext(runtime.services, { log: withRequestId(runtime.log, requestId), requestId });
  return {
    ctx,
    authenticate: () => (token === undefined ? nobody : runtime.services.accessTokens.verify(token)),
    authenticatePartner: async () => {
      const [, key] = /^Bearer ([\w-]{1,100})$/i.exec(authorization) ?? [];
      return key === undefined ? null : authenticatePartner(ctx, key);
    },
    network: () => {
      const peer = app.server?.requestIP(request)?.address ?? "unknown";
      return networkOf(
        findSourceAddress(peer, request.headers.get("x-forwarded-for"), runtime.settings.isTrustedProxy),
      );
    },
    idempotencyKey: request.headers.get("idempotency-key"),
  };
}

/** The log with the request's id on every line; most requests log nothing, so nothing is made ready for it. */
const withRequestId = (log: Log, requestId: string): Log => ({
  info: (fields, message) => log.info({ requestId, ...fields }, message),
  warn: (fields, message) => log.warn({ requestId, ...fields }, message),
  error: (fields, message) => log.error({ requestId, ...fields }, message),
});
