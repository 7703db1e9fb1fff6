import type { Runtime } from "@cardkeep/runtime/compose";
import { createOperatorGate } from "@cardkeep/runtime/operatorGate";

/** Serves `/livez`, and this process's own metrics at `/metrics`, on a port. Servers report the shared metrics. */
export function serveMeasures(runtime: Runtime, port: number): { stop(): Promise<void> } {
  const gate = createOperatorGate(runtime.settings.measuresKey, runtime.services.rateLimits);
  const server = Bun.serve({
    port,
    routes: {
      "/livez": () => Response.json({ status: "ok" }),
      "/metrics": async (request, peers) => {
        const network = peers.requestIP(request)?.address ?? "unknown";
        const allowed = await gate.isOperator(request, network).catch(() => null);
        if (allowed === null) return Response.json({ error: "Too many requests" }, { status: 429 });
        if (!allowed) return Response.json({ error: "Unauthorized" }, { status: 401 });
        const headers = { "Content-Type": runtime.metrics.contentType };
        return new Response(await runtime.metrics.render(), { headers });
      },
    },
    fetch: () => Response.json({ error: "Not found" }, { status: 404 }),
  });
  return { stop: () => server.stop() };
}
