import type { Runtime } from "@cardkeep/runtime/compose";
import { createOperatorCheck } from "@cardkeep/runtime/operator";

/** Serves `/livez` and this process's own measures at `/metrics` on a port; what all processes share, servers tell. */
export function serveMeasures(runtime: Runtime, port: number): { stop(): Promise<void> } {
  const isOperator = createOperatorCheck(runtime.settings.measuresKey);
  const server = Bun.serve({
    port,
    routes: {
      "/livez": () => Response.json({ status: "ok" }),
      "/metrics": async (request) =>
        isOperator(request)
          ? new Response(await runtime.metrics.renderOwn(), {
              headers: { "Content-Type": runtime.metrics.contentType },
            })
          : Response.json({ error: "Unauthorized" }, { status: 401 }),
    },
    fetch: () => Response.json({ error: "Not found" }, { status: 404 }),
  });
  return { stop: () => server.stop() };
}
