/** How often an app or a person may ask the institution, which does not publish its own limit. */
import type { SandboxRuntime } from "../core/openStore.ts";
import { refuse } from "./answers.ts";
import type { Caller } from "./auth.ts";

const requestsPerSecond = 100;

/** Requests of each caller in the present second. */
const counts = new WeakMap<SandboxRuntime, { second: number; byCaller: Map<string, number> }>();

/** Counts a request; whether it is one too many in this second. */
export function isTooOften(runtime: SandboxRuntime, { profile }: Caller): boolean {
  const second = Math.floor(performance.now() / 1000);
  const known = counts.get(runtime);
  const present = known?.second === second ? known : { second, byCaller: new Map<string, number>() };
  counts.set(runtime, present);
  const count = (present.byCaller.get(profile ?? "") ?? 0) + 1;
  present.byCaller.set(profile ?? "", count);
  return count > requestsPerSecond;
}

export function answerTooOften(): Response {
  const response = refuse(429, "Too many requests");
  response.headers.set("Retry-After", "1");
  return response;
}
