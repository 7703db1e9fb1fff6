/** How the sandbox answers: by its route, and every error with its reason. */
import { CardkeepClientError } from "@cardkeep/client/errors";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { z } from "zod";
import { readJson } from "./core/readBody.ts";
import { SandboxError, type SandboxRoute } from "./core/route.ts";
import type { SandboxRuntime } from "./core/openStore.ts";

/** Runs a route with the fields of its address, query or body. */
export async function answerRoute(
  runtime: SandboxRuntime,
  route: SandboxRoute,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const isGet = route.method === "GET";
  const given = isGet ? Object.fromEntries(new URL(request.url).searchParams) : await readJson(request);
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  const answered = await route.run(runtime, isObject ? { ...given, ...params } : given);
  return Response.json(answered);
}

/** Lets an app on this machine read an answer. Pages of other machines are rejected before. */
export const allowApp = (request: Request): Record<string, string> => ({
  "Access-Control-Allow-Origin": request.headers.get("origin") ?? "*",
  "Access-Control-Allow-Headers": "Content-Type",
  Vary: "Origin",
});

/** Logs errors of the sandbox itself. Every error becomes an answer with its reason. */
export async function guard(runtime: SandboxRuntime, respond: () => Promise<Response>): Promise<Response> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof SandboxError) return Response.json({ error: error.message }, { status: error.status });
    if (error instanceof CardkeepError) return Response.json({ error: error.message }, { status: 422 });
    // A route that acts as an app does.
    if (error instanceof CardkeepClientError)
      return Response.json({ error: `The service refused a step: ${error.message}` }, { status: 422 });
    if (error instanceof z.ZodError) return Response.json({ error: formatIssue(error) }, { status: 422 });
    runtime.log.error({ err: error }, "the sandbox failed");
    return Response.json({ error: "The sandbox failed; its log names the cause" }, { status: 422 });
  }
}

function formatIssue({ issues: [issue] }: z.ZodError): string {
  const at = issue?.path.join(".") || "The input";
  const message = issue?.message ?? "is invalid";
  return message.startsWith("is ") ? `${at} ${message}` : `${at}: ${message}`;
}
