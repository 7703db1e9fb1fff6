/** Callbacks of partners, each verified over its raw body before anything else is looked at. */
import { createContext } from "@cardkeep/domain/context";
import { toFault } from "@cardkeep/domain/faults";
import { applyCallback } from "@cardkeep/domain/kyc/applyCallback";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { readBody } from "./body.ts";
import { requestIdOf } from "./caller.ts";
import { replyFault } from "./reply.ts";
import { logFault } from "./observe.ts";

/** Mounts `/callbacks/sumsub`: 401 for what is not authentic, 409 for what is but names the wrong person. */
export function mountInbound(app: Elysia, runtime: Runtime): void {
  app.post("/callbacks/sumsub", ({ request }) => receiveKyc(runtime, request), { parse: "none" });
}

async function receiveKyc(runtime: Runtime, request: Request): Promise<Response> {
  const requestId = requestIdOf(request);
  const log = runtime.log.child({ requestId });
  try {
    const callback = runtime.services.kyc.parseCallback({
      rawBody: await readBody(request),
      headers: {
        digest: request.headers.get("x-payload-digest"),
        algorithm: request.headers.get("x-payload-digest-alg"),
      },
    });
    if (!callback) {
      runtime.metrics.countCallback("kyc", "forged");
      log.warn({}, "a KYC callback was not authentic");
      return Response.json({ error: "Unauthorized" }, { status: 401 });
    }
    const outcome = await applyCallback(createContext(runtime.services, { log, requestId }), callback);
    runtime.metrics.countCallback("kyc", outcome);
    log.info({ callbackId: callback.id, outcome }, "KYC callback");
    return outcome === "refused"
      ? Response.json({ error: "The callback does not fit the applicant" }, { status: 409 })
      : Response.json({ ok: true });
  } catch (error) {
    const fault = toFault(error);
    logFault(runtime, fault, { requestId, operation: "callbacks.sumsub" });
    return replyFault(fault, null);
  }
}
