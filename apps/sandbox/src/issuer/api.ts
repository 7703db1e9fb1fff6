/**
 * The card issuer's API: forms in, JSON out, one execution per key. Source: docs.stripe.com/api.
 *
 * Its state is in Postgres. One request is one transaction, which also stores the reply for its idempotency key.
 */
import { insertIssuerReply, lockIssuerReply } from "@cardkeep/db/sandbox/issuerObjects";
import type { Tx } from "@cardkeep/db/client";
import { z } from "zod";
import { readText } from "../core/readBody.ts";
import { authorizationSteps } from "./authorizationSteps.ts";
import { balanceRoutes } from "./balance.ts";
import { cardholderRoutes } from "./cardholders.ts";
import { cardRoutes } from "./cards.ts";
import { decisionRoutes } from "./decision.ts";
import { deliverIssuerEvent } from "./events.ts";
import { disputeRoutes } from "./disputes.ts";
import { fileRoutes } from "./files.ts";
import { listEvents } from "./listEvents.ts";
import { parseForm } from "./form.ts";
import { generateIssuerId, IssuerError, type IssuerEvent, type IssuerRoute } from "./route.ts";
import { SandboxError } from "../core/route.ts";
import { spendingRoutes } from "./spending.ts";
import { hashRequest, keepFailure } from "../faults/issuerReplies.ts";
import { designRoutes } from "./personalizationDesigns.ts";
import { shippingRoutes } from "./shipping.ts";
import { expandReply } from "./expand.ts";
import { findFunding } from "./funding.ts";
import { walletTokenRoutes } from "./walletTokens.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** Every call that the issuer takes. */
export const issuerRoutes: readonly IssuerRoute[] = [
  ...cardholderRoutes,
  ...cardRoutes,
  ...spendingRoutes,
  ...decisionRoutes,
  ...authorizationSteps,
  ...disputeRoutes,
  ...fileRoutes,
  ...walletTokenRoutes,
  ...designRoutes,
  ...shippingRoutes,
  ...balanceRoutes,
  findFunding,
  listEvents,
];

const patterns = issuerRoutes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

/** The version of an account that pins none. Versions are dates, since 2024 with a name. */
const versionDefault = "2026-10-28.endive";
const versionPattern = /^\d{4}-\d\d-\d\d(\.[a-z_]+)?(;.*)?$/;

interface Reply {
  status: number;
  body: unknown;
  isReplay: boolean;
}

/** Answers a request to the issuer's API, including its errors. */
export async function answerIssuerApi(runtime: SandboxRuntime, request: Request): Promise<Response> {
  const reply = await answer(runtime, request).catch((error: unknown) => buildErrorReply(runtime, error));
  return Response.json(reply.body, {
    status: reply.status,
    headers: {
      "Request-Id": generateIssuerId("req"),
      "Stripe-Version": request.headers.get("stripe-version") ?? versionDefault,
      ...(reply.isReplay && { "Idempotent-Replayed": "true" }),
    },
  });
}

async function answer(runtime: SandboxRuntime, request: Request): Promise<Reply> {
  requireKey(runtime, request);
  const version = request.headers.get("stripe-version") ?? versionDefault;
  if (!versionPattern.test(version)) throw new IssuerError(400, `Invalid Stripe API version: ${version}`);
  const { pathname, search } = new URL(request.url);
  const isUpload = request.headers.get("content-type")?.startsWith("multipart/form-data") === true;
  const body = isUpload ? "" : await readText(request);
  const found = patterns.find(({ route, pattern }) => route.method === request.method && pattern.test(pathname));
  if (!found) throw new IssuerError(404, `Unrecognized request URL (${request.method}: ${pathname})`);
  const input = {
    ...(isUpload ? await readUpload(request) : parseForm(request.method === "GET" ? search.slice(1) : body)),
    ...found.pattern.exec(pathname)?.groups,
  };
  const key = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  const requestHash = hashRequest(pathname, body);
  const events: IssuerEvent[] = [];
  const now = await runtime.clock.now(runtime.db);
  const perform = async (tx: Tx): Promise<Reply> => {
    const former = key === null ? null : await lockIssuerReply(tx, key);
    if (former && former.requestHash !== requestHash) {
      const text = "Keys for idempotent requests can only be used with the same parameters they were first used with";
      throw new IssuerError(400, text, { type: "idempotency_error" });
    }
    if (former) return { status: former.status, body: former.reply, isReplay: true };
    const emit = (event: IssuerEvent) => void events.push(event);
    const answered = await expandReply(tx, await found.route.run({ runtime, tx, now, emit }, input), input);
    if (key !== null) await insertIssuerReply(tx, { key, requestHash, status: 200, reply: answered, createdAt: now });
    return { status: 200, body: answered, isReplay: false };
  };
  const reply = await runtime.store.transaction(perform).catch(async (error: unknown): Promise<Reply> => {
    const failed = buildErrorReply(runtime, error);
    if (key !== null && isKept(error))
      await keepFailure(runtime, { key, requestHash }, { status: failed.status, reply: failed.body });
    return failed;
  });
  if (reply.status !== successful) return reply;
  for (const event of events)
    await deliverIssuerEvent(runtime, event).catch((error: unknown) =>
      // The call did its work; the event is repeated.
      runtime.log.warn({ err: error, type: event.type }, "an event of the issuer was refused"),
    );
  return found.route.finish ? { ...reply, body: await found.route.finish(runtime, reply.body) } : reply;
}

const successful = 200;

/** What was found wrong before the work began is not kept: wrong parameters, and a key of another request. */
const isKept = (error: unknown): boolean =>
  !(error instanceof z.ZodError) &&
  !(error instanceof IssuerError && (error.body.error.type === "idempotency_error" || isUnknownParameter(error)));

const isUnknownParameter = ({ body }: IssuerError): boolean => body.error.code === "parameter_unknown";

const uploadBytesMax = 8 * 1024 * 1024;

/** The fields of an upload, files among them. Source: docs.stripe.com/api/files/create. */
async function readUpload(request: Request): Promise<Record<string, unknown>> {
  if (Number(request.headers.get("content-length") ?? 0) > uploadBytesMax)
    throw new IssuerError(413, "The file is too large");
  return Object.fromEntries((await request.formData()).entries());
}

function requireKey({ settings }: SandboxRuntime, request: Request): void {
  const [, scheme, given = ""] = /^(Bearer|Basic) (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  const key = scheme === "Basic" ? Buffer.from(given, "base64").toString().replace(/:$/, "") : given;
  if (key !== settings.issuer.apiKey) throw new IssuerError(401, "Invalid API Key provided");
}

function buildErrorReply(runtime: SandboxRuntime, error: unknown): Reply {
  if (error instanceof IssuerError) return { status: error.status, body: error.body, isReplay: false };
  if (error instanceof SandboxError) {
    const { status, body } = new IssuerError(400, error.message);
    return { status, body, isReplay: false };
  }
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    const [first = "", ...rest] = (issue?.path ?? []).map(String);
    const param = first + rest.map((segment) => `[${segment}]`).join("");
    const { status, body } = new IssuerError(400, `Invalid ${param}: ${issue?.message}`, { param });
    return { status, body, isReplay: false };
  }
  runtime.log.error({ err: error }, "the sandbox's card issuer failed");
  return { status: 500, body: { error: { type: "api_error", message: "An error occurred" } }, isReplay: false };
}
