import type { Runtime } from "@cardkeep/runtime/compose";
import { createOperatorGate } from "@cardkeep/runtime/operatorGate";
import type { Start } from "./start.ts";

/**
 * Serves `/livez`, `/readyz` and this process's own metrics at `/metrics`, on a port. Servers report the shared metrics.
 *
 * `/readyz` is 503 while the worker takes no jobs, and 200 but degraded while a remote signer fails.
 */
export function serveMeasures(
  runtime: Runtime,
  port: number,
  { describeWait, describeSigners }: Pick<Start, "describeWait" | "describeSigners">,
): { stop(): Promise<void> } {
  const gate = createOperatorGate(
    () => runtime.settings.measuresKeys,
    runtime.services.rateLimits,
    (key) => runtime.keyUses.record("OPERATOR_API_KEY", key),
  );
  const server = Bun.serve({
    port,
    routes: {
      "/livez": () => Response.json({ status: "ok" }),
      "/readyz": async (request, peers) => {
        const network = peers.requestIP(request)?.address ?? "unknown";
        const isShown = await gate.isOperator(request, network).catch(() => false);
        const show = (reason: string | null, otherwise: "degraded" | "down") =>
          reason === null ? { status: "ok" } : { status: otherwise, ...(isShown && { reason }) };
        const worker = show(describeWait(), "down");
        const signers = show(await describeSigners(), "degraded");
        const status = worker.status === "ok" ? signers.status : worker.status;
        return Response.json({ status, parts: { worker, signers } }, { status: status === "down" ? 503 : 200 });
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
