/** The origin of the secure card elements: their page and the page's own requests. */
import { z } from "zod";
import { showErrorPage, unknownAddress } from "../core/errorPage.ts";
import { refuseForeignRequest } from "../core/refuseForeignRequest.ts";
import { readJson } from "../core/readBody.ts";
import { SandboxError } from "../core/route.ts";
import { renderElements } from "./page.ts";
import { issueToken, openElement, setPin } from "./secrets.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

const answers: Readonly<Record<string, (runtime: SandboxRuntime, input: unknown) => Promise<unknown>>> = {
  "/open": openElement,
  "/pin": setPin,
};
/** A partner's server requests a token here. In production it needs a client certificate. */
const tokenPath = "/api/v1/ephemeral-token";

/** The elements of one runtime. @throws Error in production */
export function createElements(runtime: SandboxRuntime): { fetch(request: Request): Promise<Response> } {
  if (runtime.settings.production) throw new Error("The secure elements of the sandbox do not run in production");
  return {
    fetch: async (request) => {
      const refused = refuseForeignRequest(runtime, request);
      if (refused) return refused;
      const { pathname, origin } = new URL(request.url);
      const start = `http://localhost:${runtime.settings.sandboxPort}/`;
      if (request.method === "GET" && pathname === "/") return renderElements(start);
      if (request.method === "POST" && pathname === tokenPath) return Response.json(issueToken());
      const answer = request.method === "POST" ? answers[pathname] : undefined;
      if (!answer) {
        const missing = Response.json({ error: unknownAddress }, { status: 404 });
        return showErrorPage(request, missing, start);
      }
      // Only the page of the elements may read a card's secrets.
      if (request.headers.get("origin") !== origin) return Response.json({ error: "Another origin" }, { status: 403 });
      return answer(runtime, await readJson(request)).then(
        (body) => Response.json(body, { headers: { "Cache-Control": "no-store" } }),
        (error: unknown) => refuse(runtime, error),
      );
    },
  };
}

function refuse(runtime: SandboxRuntime, error: unknown): Response {
  if (error instanceof SandboxError) return Response.json({ error: error.message }, { status: error.status });
  if (error instanceof z.ZodError) return Response.json({ error: "Invalid request" }, { status: 422 });
  runtime.log.error({ err: error }, "a secure element failed");
  return Response.json({ error: "The element failed; the sandbox's log names the cause" }, { status: 422 });
}
