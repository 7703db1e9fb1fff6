/** The e-money institution's API, version 2, as it serves it below `/emoney/api`. Source: docs.monerium.com. */
import { parseJsonText } from "@cardkeep/contract/core/text";
import { putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { callbackSecret } from "@cardkeep/providers/emoney/callbackSecret";
import { createHash } from "node:crypto";
import { z } from "zod";
import { readText } from "../core/readBody.ts";
import { SandboxError } from "../core/route.ts";
import { answer, Refusal, refuse } from "./answers.ts";
import { authenticate, type Caller, grantToken } from "./auth.ts";
import { keepFile, listTokens, showBalances } from "./holdings.ts";
import { assignIban, linkAddress, moveIban } from "./links.ts";
import { answerList } from "./lists.ts";
import { listSubscriptions, notifyOne, subscription } from "./notify.ts";
import { makeProfile, share, showContext, showOne } from "./profiles.ts";
import { placeRedeem } from "./redeem.ts";
import { answerTooOften, isTooOften } from "./requestRate.ts";
import { mayUse } from "./state.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

export const apiPrefix = "/emoney/api";
const mediaType = "application/vnd.monerium.api-v2+json";

const subscriptionChange = subscription.pick({ state: true, types: true }).exactPartial();
const subscriptionBody = subscription.pick({ url: true }).extend({
  secret: callbackSecret,
  types: subscription.shape.types.default(["iban.updated", "profile.updated"]),
});

/** Answers one request to the institution. */
export async function answerEmoneyApi(runtime: SandboxRuntime, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const path = url.pathname.slice(apiPrefix.length);
  // A browser opens this address. It does not send the version.
  if (path === "/auth") return Response.redirect(`${runtime.settings.emoney.consentUrl}${url.search}`, 307);
  if (request.headers.get("accept") !== mediaType) return refuse(406, "Name the version that you speak");
  if (request.method === "GET" && path === "/tokens") return listTokens();
  try {
    if (request.method === "POST" && path === "/auth/token") return await grantToken(runtime, await readText(request));
    const caller = await authenticate(runtime, request);
    if (!caller) return refuse(401, "Not authenticated");
    if (isTooOften(runtime, caller)) return answerTooOften();
    return (await route(runtime, caller, request, path)) ?? refuse(404, "Not found");
  } catch (error) {
    if (error instanceof Refusal) return refuse(error.code, error.message, error.errors);
    if (error instanceof SandboxError) return refuse(error.status, error.message);
    if (error instanceof z.ZodError) return refuse(400, "The body makes no sense", describeFields(error));
    if (error instanceof SyntaxError) return refuse(400, "The body makes no sense");
    throw error;
  }
}

const describeFields = ({ issues }: z.ZodError): Record<string, string> =>
  Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]));

type Answer = (path: string[], body: unknown) => Promise<Response>;

async function route(
  runtime: SandboxRuntime,
  caller: Caller,
  request: Request,
  path: string,
): Promise<Response | null> {
  if (request.method === "POST" && path === "/files") return keepFile(runtime, caller, request);
  const query = new URL(request.url).searchParams;
  const text = await readText(request);
  const body: unknown = text === "" ? {} : parseJsonText(text);
  const routes: readonly (readonly [RegExp, Answer])[] = [
    [/^GET \/auth\/context$/, () => showContext(runtime, caller)],
    [/^POST \/profiles$/, () => makeProfile(runtime, body)],
    [/^GET \/profiles\/([^/]+)$/, ([id = ""]) => showOne(runtime, caller, id)],
    [/^POST \/profiles\/([^/]+)\/share$/, ([id = ""]) => share(runtime, caller, id, body)],
    [/^POST \/addresses$/, () => linkAddress(runtime, caller, body)],
    [/^POST \/ibans$/, () => assignIban(runtime, caller, body)],
    [/^PATCH \/ibans\/([^/]+)$/, ([id = ""]) => moveIban(runtime, caller, id, body)],
    [
      /^GET \/balances\/([^/]+)\/([^/]+)$/,
      ([chain = "", account = ""]) =>
        showBalances(runtime, caller, { chain, account, currencies: query.getAll("currency") }),
    ],
    [
      /^POST \/orders$/,
      async () => answer(200, await placeRedeem(runtime, body, (profile) => mayUse(runtime, caller, profile))),
    ],
    // The sandbox does not support signatures on chain.
    [/^GET \/signatures$/, async () => answer(200, { pending: [], total: 0 })],
    [/^GET \/webhooks$/, () => showSubscriptions(runtime)],
    [/^POST \/webhooks$/, () => subscribe(runtime, body)],
    [/^PATCH \/webhooks\/([^/]+)$/, ([id = ""]) => changeSubscription(runtime, id, body)],
  ];
  for (const [pattern, run] of routes) {
    const found = pattern.exec(`${request.method} ${path}`);
    if (found) return run(found.slice(1), body);
  }
  return request.method === "GET" ? list(runtime, caller, path, query) : null;
}

async function list(
  runtime: SandboxRuntime,
  caller: Caller,
  path: string,
  query: URLSearchParams,
): Promise<Response | null> {
  const listed = await answerList(runtime, caller, path, query);
  if (listed === undefined) return null;
  const wanted = query.get("profile");
  if (wanted !== null && !(await mayUse(runtime, caller, wanted))) return refuse(403, "Not yours");
  return listed === null ? refuse(404, "Not found") : answer(200, listed);
}

const showSubscriptions = async (runtime: SandboxRuntime): Promise<Response> =>
  answer(200, { subscriptions: (await listSubscriptions(runtime)).map(({ secret: _, ...shown }) => shown) });

async function subscribe(runtime: SandboxRuntime, body: unknown): Promise<Response> {
  const wanted = subscriptionBody.parse(body);
  // One subscription per address and secret, so that a repeated request does not deliver events twice.
  const id = createHash("sha256").update(`${wanted.url} ${wanted.secret}`).digest("hex").slice(0, 32);
  const made = { ...wanted, id, state: "active" as const };
  await notifyOne(runtime, made, "subscription.created");
  await putEmoneyRecord(runtime.store, { kind: "subscription", id: made.id, data: made });
  const { secret: _, ...shown } = made;
  return answer(201, shown);
}

async function changeSubscription(runtime: SandboxRuntime, id: string, body: unknown): Promise<Response> {
  const change = subscriptionChange.parse(body);
  const known = (await listSubscriptions(runtime)).find((each) => each.id === id);
  if (!known) return refuse(404, "Not found");
  const { secret: _, ...shown } = { ...known, ...change };
  if (shown.state === "active") await notifyOne(runtime, { ...known, ...change }, "subscription.created");
  await putEmoneyRecord(runtime.store, { kind: "subscription", id, data: { ...known, ...change } });
  return answer(200, shown);
}
