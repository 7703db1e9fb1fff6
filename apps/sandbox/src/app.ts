/** The sandbox: the partners' side of every conversation, on one's own machine only. */
import { CardkeepError } from "@cardkeep/contract/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import { Elysia } from "elysia";
import { z } from "zod";
import { advance, describeChain, faucet } from "./chain.ts";
import { renderConsole } from "./console.ts";
import { renderFlow } from "./flow.ts";
import { answerKycApi } from "./kycApi.ts";
import { review } from "./kycReview.ts";
import { readMailbox, readPhones, receiveMail } from "./mailbox.ts";
import { coupons, partners } from "./operator.ts";
import { SandboxError, type SandboxRoute } from "./route.ts";

/** Every route that the console offers, in its order. */
const routes: readonly SandboxRoute[] = [
  readMailbox,
  readPhones,
  receiveMail,
  review,
  describeChain,
  advance,
  faucet,
  partners,
  coupons,
];

const bodyBytesMax = 64 * 1024;

interface Incoming {
  request: Request;
  params: Record<string, string>;
}

/** The sandbox of one runtime. @throws Error in production */
export function createSandbox(runtime: Runtime): { fetch(request: Request): Promise<Response> } {
  if (runtime.settings.production) throw new Error("The sandbox does not run in production");
  const app = new Elysia();
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.route(route.method, path, ({ request, params }: Incoming) => guard(runtime, () => answer(runtime, route, request, params)), { parse: "none" });
  }
  app.all("/resources/*", ({ request }: Incoming) => guard(runtime, async () => Response.json(await answerKycApi(runtime, request, await readText(request)))), { parse: "none" });
  app.get("/kyc/flow/:userId", ({ params }: Incoming) => guard(runtime, async () => page(await renderFlow(runtime, params["userId"] ?? ""))));
  app.get("/", () => page(renderConsole(routes)));
  app.onError(({ code }) =>
    code === "NOT_FOUND" ? Response.json({ error: "Not found" }, { status: 404 }) : Response.json({ error: "Invalid request" }, { status: 422 }),
  );
  return { fetch: (request) => app.handle(request) };
}

const page = (html: string): Response => new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8" } });

async function answer(runtime: Runtime, route: SandboxRoute, request: Request, params: Record<string, string>): Promise<Response> {
  const base = route.method === "GET" ? Object.fromEntries(new URL(request.url).searchParams) : await readJson(request);
  const input = typeof base === "object" && base !== null && !Array.isArray(base) ? { ...base, ...params } : base;
  return Response.json(await route.run(runtime, input));
}

/** What is refused is told; everything else is logged, and told as a refusal too. */
async function guard(runtime: Runtime, respond: () => Promise<Response>): Promise<Response> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof SandboxError) return Response.json({ error: error.message }, { status: error.status });
    if (error instanceof CardkeepError) return Response.json({ error: error.message }, { status: 422 });
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      return Response.json({ error: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}` }, { status: 422 });
    }
    runtime.log.error({ err: error }, "the sandbox failed");
    return Response.json({ error: "The sandbox could not do this; its log tells why" }, { status: 422 });
  }
}

async function readText(request: Request): Promise<string> {
  const text = await request.text();
  if (text.length > bodyBytesMax) throw new SandboxError(422, "Request body too large");
  return text;
}

async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new SandboxError(422, "Invalid JSON");
  }
}
