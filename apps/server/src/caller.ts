import type { TokenError } from "@cardkeep/contract/core/errorCatalogue";
import { createContext } from "@cardkeep/domain/core/context";
import { generateId } from "@cardkeep/domain/core/generateId";
import type { Log } from "@cardkeep/domain/core/ports";
import { authenticatePartner } from "@cardkeep/domain/partners/partners/keys";
import { verifyToken } from "@cardkeep/domain/users/tokens/verifyToken";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import type { Caller } from "./admission.ts";
import { proofMs } from "./readAdmitted.ts";
import { findSourceAddress, networkOf } from "./sourceAddress.ts";

const wellFormedRequestId = /^[\w.-]{1,64}$/;

/** The client's trace (W3C Trace Context): its id can name the request. */
const traceparent = /^00-((?!0{32})[0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

const noCredentials = /^\s*(bearer)?\s*$/i;

const ownIds = new WeakMap<Request, string>();

/**
 * The request's id, always the same one: the client's own if it is valid, else that of the client's trace, else a new
 * one.
 */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  if (given !== null && wellFormedRequestId.test(given)) return given;
  const [, traceId] = traceparent.exec(request.headers.get("traceparent") ?? "") ?? [];
  if (traceId !== undefined) return traceId;
  const own = ownIds.get(request) ?? generateId();
  ownIds.set(request, own);
  return own;
}

/** Builds the caller of a request to the server `app`. */
export function identify(app: Elysia, runtime: Runtime, request: Request, requestId: string): Caller {
  const authorization = request.headers.get("authorization") ?? "";
  const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization) ?? [];
  const [, readToken] = /^Bearer (ck_\w{1,100})$/i.exec(authorization) ?? [];
  const findFault = (): TokenError => (noCredentials.test(authorization) ? "auth.token_missing" : "auth.token_invalid");
  const ctx = createContext(runtime.services, {
    log: withRequestId(runtime.log, requestId),
    requestId,
    acceptLanguage: request.headers.get("accept-language"),
  });
  const findPartner = async () => {
    const [, key] = /^Bearer ([\w-]{1,100})$/i.exec(authorization) ?? [];
    const partner = key === undefined ? null : await authenticatePartner(ctx, key);
    if (partner === null) return { fault: findFault() };
    runtime.partnerKeyUses.add(partner.keyId);
    return { partnerId: partner.partnerId, scopes: partner.scopes };
  };
  const findActor = async () => {
    if (readToken !== undefined) return verifyToken(ctx, readToken);
    return token === undefined ? findFault() : ctx.accessTokens.verify(token);
  };
  return {
    ctx,
    authenticate: keepProof(findActor),
    authenticatePartner: keepProof(findPartner),
    network: () => {
      const peer = app.server?.requestIP(request)?.address ?? "unknown";
      return networkOf(
        findSourceAddress(peer, request.headers.get("x-forwarded-for"), runtime.settings.isTrustedProxy),
      );
    },
    idempotencyKey: request.headers.get("idempotency-key"),
  };
}

/** A batch asks for each of its calls. */
function keepProof<T>(find: () => Promise<T>): () => Promise<T> {
  let found: { readonly atMs: number; readonly proof: Promise<T> } | null = null;
  return () => {
    const nowMs = performance.now();
    if (found === null || nowMs - found.atMs > proofMs) found = { atMs: nowMs, proof: find() };
    return found.proof;
  };
}

/** Adds the request's id to every log line. Most requests log nothing, so no child logger is created up front. */
const withRequestId = (log: Log, requestId: string): Log => ({
  info: (fields, message) => log.info({ requestId, ...fields }, message),
  warn: (fields, message) => log.warn({ requestId, ...fields }, message),
  error: (fields, message) => log.error({ requestId, ...fields }, message),
});
