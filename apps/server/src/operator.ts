/** The operator's pages under `/operator`. */
import { type CardkeepError, fail } from "@cardkeep/contract/core/errors";
import { givenId } from "@cardkeep/contract/core/primitives";
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { type Alongside, createOperatorContext } from "@cardkeep/domain/core/context";
import { isUnavailable, toCardkeepError } from "@cardkeep/domain/core/errors";
import { countApprovals } from "@cardkeep/domain/operations/executors/decideApproval";
import { readReason } from "@cardkeep/domain/core/operators/reason";
import { findDone, recordDone, recordOnce } from "@cardkeep/domain/operators/idempotency/actOnce";
import { ApprovalNeeded } from "@cardkeep/domain/operators/approvals/requireApproval";
import { requireRole } from "@cardkeep/domain/core/operators/requireRole";
import { callbackPath } from "@cardkeep/domain/operators/operatorSessions/signIn";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { readBody } from "./body.ts";
import { readAdmitted } from "./readAdmitted.ts";
import { requestIdOf } from "./caller.ts";
import { withDeadline } from "./deadline.ts";
import { logError } from "./observe.ts";
import { mountOperatorApi } from "./operator/api/api.ts";
import { readFormOnce, sayOnce } from "./operator/formOnce.ts";
import { goOn } from "./operator/page/answers.ts";
import { answerCsv } from "./operator/page/answerFile.ts";
import { type FrameInput, renderFrame } from "./operator/page/frame.ts";
import { type FormRoute, linkTo, type Page, type PageRoute, type Visit } from "./operator/page/page.ts";
import { formRoutes, pageRoutes } from "./operator/routes.ts";
import { searchBox } from "./operator/search.ts";
import { isOfOtherSite, isSameOrigin } from "./operator/access/session.ts";
import { createSignIn, type SignIn } from "./operator/access/signIn.ts";
import { renderStopBanner } from "./operator/operations/stops.ts";
import { markup } from "@cardkeep/html/markup";
import { waitHeaders } from "./reply.ts";
import { urlOf } from "./url.ts";

interface Incoming {
  readonly request: Request;
  /** None for a path without parameters. */
  readonly params?: Readonly<Record<string, string>>;
}

async function answerInFrame(
  { services }: Runtime,
  page: Page,
  input: FrameInput,
  status = 200,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const [banner, approvals, offsetSeconds] = await Promise.all([
    renderStopBanner(services.db),
    unlessAway(countApprovals(services), 0),
    unlessAway(services.clock.getOffsetSeconds(services.db), 0),
  ]);
  const frame = { search: searchBox, banner, counts: { approvals }, offsetSeconds, ...input };
  const { html, headers } = await renderFrame(page, frame);
  return new Response(html, { status, headers: { ...headers, ...more } });
}

/** There are no pages without a way to sign in when the server starts. */
export const hasOperatorPages = ({ operatorApiKeys, openid }: Runtime["settings"]): boolean =>
  operatorApiKeys.length > 0 || openid !== null;

/** Mounts the pages, if there are any. */
export function mountOperator(app: Elysia, runtime: Runtime): void {
  if (!hasOperatorPages(runtime.settings)) return;
  const signIn = createSignIn(app, runtime);
  mountOperatorApi(app, runtime);
  for (const [path, route] of Object.entries(pageRoutes)) {
    app.get(path, (incoming) => answerPage(runtime, signIn, incoming, route));
  }
  const post = (path: string, handle: (incoming: Incoming) => Promise<Response>) =>
    app.post(path, (incoming) => answerForm(runtime, signIn, incoming, handle), { parse: "none" });
  for (const [path, route] of Object.entries(formRoutes)) {
    post(path, (incoming) => submit(runtime, signIn, incoming, route));
  }
  app.get("/operator/sign-in", ({ request }) => signIn.showPage(request));
  app.get("/operator/sign-in/start", ({ request }) => signIn.start(request));
  app.get(callbackPath, ({ request }) => signIn.finish(request));
  post("/operator/sign-in", ({ request }) => signIn.signInWithKey(request));
  post("/operator/sign-out", ({ request }) => signIn.signOut(request));
  // The provider calls it, with a signed token instead of a cookie.
  app.post("/operator/back-channel-logout", ({ request }) => signIn.logOut(request), { parse: "none" });
}

/** The query's texts, made safe for a search. */
const readQuery = (given: Iterable<readonly [string, string]>): URLSearchParams =>
  new URLSearchParams([...given].map(([name, text]) => [name, givenId.decode(text)]));

/** The request of a signed-in operator. */
function describeVisit(
  { services, log }: Runtime,
  { request, params = {} }: Incoming,
  { actor, ...given }: { actor: OperatorActor; reason?: string | null; alongside?: Alongside },
): Visit {
  const { pathname, searchParams } = urlOf(request);
  const requestId = requestIdOf(request);
  return {
    ctx: createOperatorContext(services, { log: log.child({ requestId }), requestId, actor, reason: null, ...given }),
    path: pathname,
    query: readQuery(searchParams),
    params: Object.fromEntries(readQuery(Object.entries(params))),
  };
}

async function answerPage(
  runtime: Runtime,
  signIn: SignIn,
  incoming: Incoming,
  { verb, show }: PageRoute,
): Promise<Response> {
  const actor = await signIn.find(incoming.request);
  if (actor instanceof Response) return actor;
  const visit = describeVisit(runtime, incoming, { actor });
  return withDeadline(async () => {
    requireRole(actor, verb);
    return show(visit);
  })
    .then((page) => answerShown(runtime, visit, { page, request: incoming.request }))
    .catch((error: unknown) => answerError(runtime, incoming, toCardkeepError(error), actor));
}

/** A part of the frame that must not hide the page while the database is away. */
const unlessAway = <T>(answer: Promise<T>, otherwise: T): Promise<T> =>
  answer.catch((error: unknown) => {
    if (isUnavailable(error)) return otherwise;
    throw error;
  });

/** The page, or one of its tables as CSV. */
async function answerShown(
  runtime: Runtime,
  visit: Visit,
  { page, request }: { page: Page; request: Request },
): Promise<Response> {
  const { ctx, path, query } = visit;
  const frame = { operator: ctx.actor, path, query };
  if (query.get("format") !== "csv") return answerInFrame(runtime, page, { ...frame, isLive: !page.isStill });
  // A link on another site would write into the action log, and save people's data on the operator's disk.
  if (isOfOtherSite(request)) {
    const title = "Another site asked for this file. Open the page of the table instead";
    return answerInFrame(runtime, { title, body: markup`` }, { ...frame, isLive: false }, 403);
  }
  const name = query.get("table");
  const table = page.tables?.find((candidate) => name === null || candidate.name === name);
  if (!table)
    return answerInFrame(
      runtime,
      { title: "There is no such table", body: markup`` },
      { ...frame, isLive: false },
      404,
    );
  // A list may hold everybody's personal data, so the log says who took it. Nothing erases the log: it names people by id.
  const subject = { kind: "list", id: table.name } as const;
  await ctx.act("lists.export", async () => ({
    output: null,
    subject,
    before: null,
    after: { page: page.path ?? path },
  }));
  const now = await ctx.clock.now(ctx.db);
  return answerCsv({ name: table.name, now }, table.listRecords(), (error) =>
    logError(runtime, toCardkeepError(error), { requestId: ctx.requestId, operation: "operator" }),
  );
}

/** Runs the form of a signed-in operator; its field `reason` goes into the action log. */
async function submit(
  runtime: Runtime,
  signIn: SignIn,
  incoming: Incoming,
  { verb, act, bytesMax, once }: FormRoute,
): Promise<Response> {
  const actor = await signIn.find(incoming.request);
  if (actor instanceof Response) return actor;
  try {
    requireRole(actor, verb);
    const body = await readAdmitted(
      () => readBody(incoming.request, bytesMax),
      async () => {
        const present = await signIn.find(incoming.request);
        if (present instanceof Response) fail("auth.token_invalid");
        requireRole(present, verb);
      },
    );
    const form = readQuery(new URLSearchParams(body));
    const reason = readReason(verb, form.get("reason"));
    const asked = once ? readFormOnce(actor, form) : null;
    const alongside = once && asked && !once.endsAfterCommit && recordOnce(asked, once.verb);
    const visit = { ...describeVisit(runtime, incoming, { actor, reason, ...(alongside && { alongside }) }), form };
    if (asked && (await findDone(visit.ctx, asked)) !== null) fail("idempotency.in_flight");
    const done = await act(visit);
    if (asked && once?.endsAfterCommit) await recordDone(visit.ctx, asked);
    if (typeof done === "string") return goOn(done);
    if (done instanceof Response) return done;
    return await answerInFrame(runtime, done, { operator: actor, path: visit.path, query: visit.query, isLive: false });
  } catch (error) {
    if (error instanceof ApprovalNeeded) return goOn(linkTo("/operator/approvals", { done: "asked" }));
    return answerError(runtime, incoming, sayOnce(toCardkeepError(error)), actor);
  }
}

/** Answers a form if one of our pages sent it. */
async function answerForm(
  runtime: Runtime,
  signIn: SignIn,
  incoming: Incoming,
  handle: (incoming: Incoming) => Promise<Response>,
): Promise<Response> {
  if (!isSameOrigin(incoming.request, runtime.settings.publicUrl)) {
    return signIn.ask("A page of this service did not send this form.", 403);
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
  // A form's address is that of its page and the act's name.
  const place = request.method === "POST" ? path.split("/").slice(0, -1).join("/") : "";
  const back = place.length > "/operator".length && markup`<a href="${place}">Back to the page</a>`;
  const page = {
    title: fault.message,
    body: markup`<p class="lead">Request <code>${requestId}</code></p><p class="pager">${back} <a href="/operator">Overview</a></p>`,
  };
  const input = { operator, path, query: new URLSearchParams(), isLive: false };
  return answerInFrame(runtime, page, input, fault.status, waitHeaders(fault));
}
