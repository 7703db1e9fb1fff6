/** The operator's pages under `/operator`, for holders of the operator's key. */
import type { CardkeepError } from "@cardkeep/contract/errors";
import { givenId } from "@cardkeep/contract/primitives";
import type { OperatorActor } from "@cardkeep/domain/actor";
import { createOperatorContext } from "@cardkeep/domain/context";
import { toCardkeepError } from "@cardkeep/domain/errors";
import { readReason } from "@cardkeep/domain/operators/reason";
import { requireRole } from "@cardkeep/domain/operators/requireRole";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { readBody } from "./body.ts";
import { identify, requestIdOf } from "./caller.ts";
import { withDeadline } from "./deadline.ts";
import { logError } from "./observe.ts";
import { answerCsv } from "./operator/csv.ts";
import { type FrameInput, plainHeaders, renderFrame, renderSignIn } from "./operator/frame.ts";
import type { Page, Visit } from "./operator/page.ts";
import { type FormRoute, formRoutes, type PageRoute, pageRoutes } from "./operator/routes.ts";
import { searchBox } from "./operator/search.ts";
import { createSessions, isSameOrigin, type Sessions } from "./operator/session.ts";
import { markup } from "@cardkeep/html/markup";
import { waitHeaders } from "./reply.ts";
import { urlOf } from "./url.ts";

/** Wrong keys are limited per network, on all servers together. */
const signInQuota = { name: "operator-sign-in", count: 10, withinSeconds: 60 };

interface Incoming {
  readonly request: Request;
  /** None for a path without parameters. */
  readonly params?: Readonly<Record<string, string>>;
}

/** A page outside of the frame. */
const answer = (page: string, status = 200, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(page, { status, headers: { ...plainHeaders, ...more } });

async function answerInFrame(
  page: Page,
  input: FrameInput,
  status = 200,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { html, headers } = await renderFrame(page, { search: searchBox, ...input });
  return new Response(html, { status, headers: { ...headers, ...more } });
}

const goOn = (to: string, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { "Cache-Control": "no-store", Location: to, ...more } });

const askForKey = (next: string): Response => answer(renderSignIn({ next, refusal: null }), 401);

/** Mounts the pages. Without `OPERATOR_API_KEY` at the start there are none. */
export function mountOperator(app: Elysia, runtime: Runtime): void {
  if (runtime.settings.operatorApiKeys.length === 0) return;
  const recordUse = (key: string): void => runtime.keyUses.record("OPERATOR_API_KEY", key);
  // The keys may change.
  const getSessions = () => createSessions(runtime.settings.operatorApiKeys, runtime.settings.publicUrl, recordUse);
  for (const [path, route] of Object.entries(pageRoutes)) {
    app.get(path, (incoming) => answerPage(runtime, getSessions(), incoming, route));
  }
  const post = (path: string, handle: (incoming: Incoming) => Promise<Response>) =>
    app.post(path, (incoming) => answerForm(runtime, incoming, handle), { parse: "none" });
  for (const [path, route] of Object.entries(formRoutes)) {
    post(path, (incoming) => submit(runtime, getSessions(), incoming, route));
  }
  post("/operator/sign-in", ({ request }) => signIn(app, runtime, getSessions(), request));
  post("/operator/sign-out", async () => goOn("/operator", { "Set-Cookie": getSessions().end() }));
}

/** The query's texts, made safe for a search. */
const readQuery = (given: Iterable<readonly [string, string]>): URLSearchParams =>
  new URLSearchParams([...given].map(([name, text]) => [name, givenId.decode(text)]));

/** The request of a signed-in operator. */
function describeVisit(
  { services, log }: Runtime,
  { request, params = {} }: Incoming,
  { actor, reason = null }: { actor: OperatorActor; reason?: string | null },
): Visit {
  const { pathname, searchParams } = urlOf(request);
  const requestId = requestIdOf(request);
  return {
    ctx: createOperatorContext(services, { log: log.child({ requestId }), requestId, actor, reason }),
    path: pathname,
    query: readQuery(searchParams),
    params: Object.fromEntries(readQuery(Object.entries(params))),
  };
}

async function answerPage(
  runtime: Runtime,
  sessions: Sessions,
  incoming: Incoming,
  { verb, show }: PageRoute,
): Promise<Response> {
  const actor = sessions.findOperator(incoming.request);
  if (actor === null) return askForKey(urlOf(incoming.request).pathname);
  const visit = describeVisit(runtime, incoming, { actor });
  return withDeadline(async () => {
    requireRole(actor, verb);
    return show(visit);
  })
    .then((page) => answerShown(runtime, visit, page))
    .catch((error: unknown) => answerError(runtime, incoming, toCardkeepError(error), actor));
}

/** The page, or one of its tables as CSV. */
async function answerShown(runtime: Runtime, visit: Visit, page: Page): Promise<Response> {
  const { ctx, path, query } = visit;
  const frame = { operator: ctx.actor, path, query };
  if (query.get("format") !== "csv") return answerInFrame(page, { ...frame, isLive: true });
  requireRole(ctx.actor, "lists.export");
  const name = query.get("table");
  const table = page.tables?.find((candidate) => name === null || candidate.name === name);
  if (!table)
    return answerInFrame({ title: "There is no such table", body: markup`` }, { ...frame, isLive: false }, 404);
  return answerCsv(table.name, table.listRecords(), (error) =>
    logError(runtime, toCardkeepError(error), { requestId: ctx.requestId, operation: "operator" }),
  );
}

/** Runs the form of a signed-in operator; its field `reason` goes into the action log. */
async function submit(
  runtime: Runtime,
  sessions: Sessions,
  incoming: Incoming,
  { verb, act }: FormRoute,
): Promise<Response> {
  const actor = sessions.findOperator(incoming.request);
  if (actor === null) return askForKey("/operator");
  try {
    requireRole(actor, verb);
    const form = readQuery(new URLSearchParams(await readBody(incoming.request)));
    const reason = readReason(verb, form.get("reason"));
    const visit = { ...describeVisit(runtime, incoming, { actor, reason }), form };
    const done = await act(visit);
    if (typeof done === "string") return goOn(done);
    return await answerInFrame(done, { operator: actor, path: visit.path, query: visit.query, isLive: false });
  } catch (error) {
    return answerError(runtime, incoming, toCardkeepError(error), actor);
  }
}

/** Answers a form if one of our pages sent it. */
async function answerForm(
  runtime: Runtime,
  incoming: Incoming,
  handle: (incoming: Incoming) => Promise<Response>,
): Promise<Response> {
  if (!isSameOrigin(incoming.request, runtime.settings.publicUrl)) {
    return answer(renderSignIn({ next: "/operator", refusal: "A page of this service did not send this form." }), 403);
  }
  return withDeadline(() => handle(incoming)).catch((error: unknown) =>
    answerError(runtime, incoming, toCardkeepError(error)),
  );
}

/** An error that occurred before the service knew who asks shows no name. */
const unknownOperator = { name: "", roles: [] };

function answerError(
  runtime: Runtime,
  { request }: Incoming,
  fault: CardkeepError,
  operator: FrameInput["operator"] = unknownOperator,
): Promise<Response> {
  const requestId = requestIdOf(request);
  const { pathname: path } = urlOf(request);
  logError(runtime, fault, { requestId, operation: "operator" });
  const page = {
    title: fault.message,
    body: markup`<p class="lead">Request <code>${requestId}</code></p><p class="pager"><a href="/operator">Overview</a></p>`,
  };
  const input = { operator, path, query: new URLSearchParams(), isLive: false };
  return answerInFrame(page, input, fault.status, waitHeaders(fault));
}

/** The page that was requested before the sign-in; never an address elsewhere. */
const readNext = (form: URLSearchParams): string =>
  /^\/operator(\/[\w-]+)*$/.exec(form.get("next") ?? "")?.[0] ?? "/operator";

async function signIn(app: Elysia, runtime: Runtime, sessions: Sessions, request: Request): Promise<Response> {
  const { services, log } = runtime;
  const requestId = requestIdOf(request);
  const network = identify(app, runtime, request, requestId).network();
  const form = new URLSearchParams(await readBody(request));
  const next = readNext(form);
  try {
    await services.rateLimits.take(signInQuota, network);
  } catch (error) {
    const fault = toCardkeepError(error);
    return answer(
      renderSignIn({ next, refusal: `${fault.message}: wait a minute.` }),
      fault.status,
      waitHeaders(fault),
    );
  }
  if (!sessions.isKey(form.get("key") ?? "")) {
    log.warn({ requestId, network }, "a wrong operator key");
    return answer(renderSignIn({ next, refusal: "This is not the operator's key." }), 401);
  }
  log.info({ requestId, network }, "the operator signed in");
  return goOn(next, { "Set-Cookie": sessions.begin(new Date()) });
}
