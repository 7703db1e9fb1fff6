/** How often the identity provider may be asked. Source: docs.sumsub.com/reference/rate-limits. */
import type { SandboxRuntime } from "../core/openStore.ts";

const windowMs = 5_000;
const requestsMax = { reads: 300, writes: 50 };

/** Requests in the present five seconds. */
const counts = new WeakMap<SandboxRuntime, { window: number; reads: number; writes: number }>();

/** Counts a request; whether it is one too many in these five seconds. */
export function isTooOften(runtime: SandboxRuntime, method: string): boolean {
  const window = Math.floor(performance.now() / windowMs);
  const known = counts.get(runtime);
  const present = known?.window === window ? known : { window, reads: 0, writes: 0 };
  counts.set(runtime, present);
  const kind = method === "GET" ? "reads" : "writes";
  return ++present[kind] > requestsMax[kind];
}
