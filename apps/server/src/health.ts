/** Whether the process is alive and can serve, and its metrics. */
import { CardkeepError, retrySeconds } from "@cardkeep/contract/core/errors";
import { checkHealth } from "@cardkeep/domain/operations/health/checkHealth";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createOperatorGate } from "@cardkeep/runtime/operatorGate";
import { createServiceMetrics } from "@cardkeep/runtime/serviceMetrics";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import type { Elysia } from "elysia";
import pTimeout from "p-timeout";
import { identify, requestIdOf } from "./caller.ts";
import { withDeadline } from "./deadline.ts";
import { buildChallenge, errorHeaders, replyError } from "./reply.ts";

/** The part of a server that stops. */
const draining = { status: "down", reason: "This server stops: send requests to another one" };

/** Less than the parts take where the database hangs. */
const countMsMax = 1_000;

function refuseKey({ headers }: Request): Response {
  const code = headers.has("authorization") ? "auth.token_invalid" : "auth.token_missing";
  return Response.json(
    { error: "Unauthorized" },
    { status: 401, headers: { ...buildChallenge(401), ...errorHeaders(code) } },
  );
}

/**
 * Mounts `/livez`, always 200; `/readyz`; and `/metrics` in Prometheus' text format. `/readyz` is 503 if the service
 * cannot accept requests or stops, and 200 but degraded if accepted work waits.
 *
 * With an `OPERATOR_API_KEY`, metrics and reasons are shown only to requests with this key as bearer token.
 */
export function mountHealth(app: Elysia, runtime: Runtime, isDraining: () => boolean): void {
  const gate = createOperatorGate(
    () => runtime.settings.measuresKeys,
    runtime.services.rateLimits,
    (key) => runtime.keyUses.record("OPERATOR_API_KEY", key),
  );
  const isOperator = (request: Request): Promise<boolean> =>
    gate.isOperator(request, identify(app, runtime, request, requestIdOf(request)).network());
  const serviceMetrics = createServiceMetrics(runtime.services);
  app.get("/livez", () => Response.json({ status: "ok" }));
  app.get("/readyz", async ({ request }) => {
    const [checked, isShown] = await Promise.all([
      checkHealth(runtime.services),
      // Everybody may see whether it serves, also after too many wrong keys, and while the database cannot count one.
      pTimeout(isOperator(request), { milliseconds: countMsMax }).catch(() => false),
    ]);
    const health = isDraining() ? { status: "down", parts: { ...checked.parts, server: draining } } : checked;
    const parts = Object.entries(health.parts).map(([name, { status }]) => [name, { status }]);
    const shown = isShown ? health : { ...health, parts: Object.fromEntries(parts) };
    return health.status === "down"
      ? Response.json(shown, { status: 503, headers: { "Retry-After": String(retrySeconds) } })
      : Response.json(shown);
  });
  app.get("/metrics", async ({ request }) => {
    const allowed = await withDeadline(() => isOperator(request)).catch(toCardkeepError);
    if (allowed instanceof CardkeepError) return replyError(allowed, null);
    if (!allowed) return refuseKey(request);
    const ofService = await serviceMetrics.metrics();
    const ofProcess = await runtime.metrics.render();
    return new Response(`${ofProcess}\n${ofService}`, { headers: { "Content-Type": runtime.metrics.contentType } });
  });
}
