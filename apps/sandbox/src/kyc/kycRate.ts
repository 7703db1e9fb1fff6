/** How often the identity provider may be asked. Source: docs.sumsub.com/reference/rate-limits. */
import { countRequest } from "../core/countRequest.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const windowMs = 5_000;
const requestsMax = { reads: 300, writes: 50 };

/** Counts a request; whether it is one too many in these five seconds. */
export function isTooOften(runtime: SandboxRuntime, method: string): boolean {
  const kind = method === "GET" ? "reads" : "writes";
  return countRequest(runtime, `kyc:${kind}`, windowMs) > requestsMax[kind];
}
