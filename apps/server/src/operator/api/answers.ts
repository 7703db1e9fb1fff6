/** Answers of the operator's API. */
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import { formatJson } from "@cardkeep/domain/core/wording";
import type { Runtime } from "@cardkeep/runtime/compose";
import { requestIdOf } from "../../caller.ts";
import { logError } from "../../observe.ts";
import { buildChallenge, errorHeaders, waitHeaders } from "../../reply.ts";

export const base = "/operator/api";

export const answerJson = (data: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(formatJson(data), {
    status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    },
  });

export function answerFault(runtime: Runtime, request: Request, error: unknown): Response {
  const fault = toCardkeepError(error);
  logError(runtime, fault, { requestId: requestIdOf(request), operation: "operator-api" });
  const { code, status, details } = fault;
  const text = status >= 500 && code !== "server.unavailable" ? "Internal error" : fault.message;
  const headers = { ...errorHeaders(code), ...buildChallenge(status), ...waitHeaders(fault) };
  return answerJson({ error: text, code, ...details }, status, headers);
}
