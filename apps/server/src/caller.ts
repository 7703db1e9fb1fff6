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

/** Who is asking: never throws, because a bad token only matters where one is needed. */
export async function identify(runtime: Runtime, request: Request, requestId: string): Promise<Caller> {
  const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  const actor = token === undefined ? null : await runtime.services.accessTokens.verify(token);
  const ctx = createContext(runtime.services, { log: runtime.log.child({ requestId }), requestId });
  return { ctx, actor, idempotencyKey: request.headers.get("idempotency-key") };
}
