/** Whether the process lives, whether it can serve, and how it fares. */
import { checkHealth } from "@cardkeep/domain/health/checkHealth";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";

/**
 * Mounts `/livez`, always 200; `/readyz`, 503 where nothing can be accepted, degraded but 200 where what is accepted waits;
 * and `/metrics` in Prometheus' text format.
 */
export function mountHealth(app: Elysia, runtime: Runtime): void {
  app.get("/livez", () => Response.json({ status: "ok" }));
  app.get("/readyz", async () => {
    const health = await checkHealth(runtime.services);
    return Response.json(health, { status: health.status === "down" ? 503 : 200 });
  });
  app.get("/metrics", async () => {
    const { metrics, services } = runtime;
    return new Response(await metrics.render(services), { headers: { "Content-Type": metrics.contentType } });
  });
}
