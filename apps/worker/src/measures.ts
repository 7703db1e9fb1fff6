import type { Runtime } from "@cardkeep/runtime/compose";
import { createOperatorGate } from "@cardkeep/runtime/operatorGate";

/**
 * Serves `/livez`, `/readyz` and this process's own metrics at `/metrics`, on a port. Servers report the shared metrics.
 *
 * `/readyz` is 503 while the worker takes no jobs; `describeWait` answers the reason, and null otherwise.
 */
export function serveMeasures(
  runtime: Runtime,
  { port, describeWait }: { port: number; describeWait: () => string | null },
): { stop(): Promise<void> } {
  const gate = createOperatorGate(runtime.settings.measuresKey, runtime.services.rateLimits);
  const server = Bun.serve({
    port,
    routes: {
      "/livez": () => Response.json({ status: "ok" }),
      "/readyz": async (request, peers) => {
        const reason = describeWait();
        if (reason === null) return Response.json({ status: "ok", parts: { worker: { status: "ok" } } });
        const network = peers.requestIP(request)?.address ?? "unknown";
        const isShown = await gate.isOperator(request, network).catch(() => false);
        const worker = { status: "down", ...(isShown && { reason }) };
        return Response.json({ status: "down", parts: { worker } }, { status: 503 });
      },
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
