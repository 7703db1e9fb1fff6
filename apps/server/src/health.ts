/** Whether the process lives, whether it can serve, and how it fares. */
import { checkHealth } from "@cardkeep/domain/health/checkHealth";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createOperatorCheck } from "@cardkeep/runtime/operator";
import type { Elysia } from "elysia";

/**
 * Mounts `/livez`, always 200; `/readyz`, 503 where nothing can be accepted, degraded but 200 where what is accepted waits;
 * and `/metrics` in Prometheus' text format.
 *
 * Where there is an `OPERATOR_API_KEY`, the measures and the reasons are told to those who send it as their bearer token.
 */
export function mountHealth(app: Elysia, runtime: Runtime): void {
  const isOperator = createOperatorCheck(runtime.settings.measuresKey);
  app.get("/livez", () => Response.json({ status: "ok" }));
  app.get("/readyz", async ({ request }) => {
    const health = await checkHealth(runtime.services);
    const parts = Object.entries(health.parts).map(([name, { status }]) => [name, { status }]);
    const told = isOperator(request) ? health : { ...health, parts: Object.fromEntries(parts) };
    return Response.json(told, { status: health.status === "down" ? 503 : 200 });
  });
  app.get("/metrics", async ({ request }) => {
    if (!isOperator(request)) return Response.json({ error: "Unauthorized" }, { status: 401 });
    const { metrics, services } = runtime;
    return new Response(await metrics.render(services), { headers: { "Content-Type": metrics.contentType } });
  });
}
