import { createContext } from "@cardkeep/domain/context";
import type { Runtime } from "@cardkeep/runtime/compose";
import { randomUUID } from "node:crypto";
import type { Caller } from "./operation.ts";

const wellFormedRequestId = /^[\w.-]{1,64}$/;

/** The request's id: the client's own where it is harmless, else a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && wellFormedRequestId.test(given) ? given : randomUUID();
}

/** Who is asking. */
export function identify(runtime: Runtime, request: Request, requestId: string): Caller {
  const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  const ctx = createContext(runtime.services, { log: runtime.log.child({ requestId }), requestId });
  return {
    ctx,
    authenticate: async () => (token === undefined ? null : runtime.services.accessTokens.verify(token)),
    idempotencyKey: request.headers.get("idempotency-key"),
  };
}
