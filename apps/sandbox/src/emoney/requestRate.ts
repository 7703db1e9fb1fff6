/** How often an app or a person may ask the institution, which does not publish its own limit. */
import { countRequest } from "../core/countRequest.ts";
import type { SandboxRuntime } from "../core/openStore.ts";
import { refuse } from "./answers.ts";
import type { Caller } from "./auth.ts";

const requestsPerSecond = 100;

/** Counts a request; whether it is one too many in this second. */
export const isTooOften = (runtime: SandboxRuntime, { profile }: Caller): boolean =>
  countRequest(runtime, `emoney:${profile ?? ""}`, 1_000) > requestsPerSecond;

export function answerTooOften(): Response {
  const response = refuse(429, "Too many requests");
  response.headers.set("Retry-After", "1");
  return response;
}
