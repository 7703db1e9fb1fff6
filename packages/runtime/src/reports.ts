import type { ReportRpc } from "@cardkeep/chain/reads/rpc";
import type { ReportCall } from "@cardkeep/providers/http";
import type { Metrics } from "./metrics.ts";
import type { Tracing } from "./tracing.ts";

type Provider = Parameters<Metrics["reportProvider"]>[0];

/** What reports calls to the node and to partners. */
export interface Reports {
  readonly rpc: ReportRpc;
  provider(name: Provider): ReportCall;
}

/** Reports each call to the metrics, and to its trace if there is one. */
export function createReports(metrics: Metrics, tracing: Tracing | null): Reports {
  if (tracing === null) return { rpc: metrics.reportRpc, provider: metrics.reportProvider };
  return {
    rpc: (report) => {
      metrics.reportRpc(report);
      tracing.call(report.method, report.seconds, { "rpc.system": "jsonrpc", outcome: report.outcome });
    },
    provider: (name) => {
      const measure = metrics.reportProvider(name);
      return (report) => {
        measure(report);
        tracing.call(`call to ${name}`, report.seconds, { outcome: report.outcome });
      };
    },
  };
}
