/** Callbacks of partners. Each is verified over its raw body before anything else. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import type { CommitContext, Context } from "@cardkeep/domain/core/context";
import { applyIssuerCallback, isForUs } from "@cardkeep/domain/cards/cards/applyIssuerCallback";
import { applyEmoneyCallback } from "@cardkeep/domain/users/ibans/applyEmoneyCallback";
import type { CallbackOutcome } from "@cardkeep/domain/core/callbackOutcome";
import { applyKycCallback } from "@cardkeep/domain/verification/kyc/applyKycCallback";
import { authorize } from "@cardkeep/domain/spending/decision/authorize";
import { refuse } from "@cardkeep/domain/spending/decision/decision";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { readBody } from "./body.ts";
import { answerCallback } from "./callback.ts";
import { errorHeaders, replyError } from "./reply.ts";

/**
 * Mounts `/callbacks/sumsub`, `/callbacks/stripe` and `/callbacks/monerium`. An inauthentic callback gets 401. An
 * authentic one that is not for us gets 409, for example one about another person or from a test environment.
 */
export function mountInbound(app: Elysia, runtime: Runtime): void {
  const handlers = { sumsub: receiveKyc, stripe: receiveIssuer, monerium: receiveEmoney };
  for (const [name, handle] of Object.entries(handlers)) {
    const answer = ({ request }: { request: Request }) =>
      answerCallback(runtime, name, request, async (ctx) =>
        handle({ runtime, request, rawBody: await readBody(request), ctx }),
      );
    app.post(`/callbacks/${name}`, answer, { parse: "none" });
  }
}

interface Incoming {
  runtime: Runtime;
  request: Request;
  rawBody: string;
  ctx: CommitContext;
}

async function receiveKyc({ runtime, request, rawBody, ctx }: Incoming): Promise<Response> {
  const headers = {
    digest: request.headers.get("x-payload-digest"),
    algorithm: request.headers.get("x-payload-digest-alg"),
  };
  const callback = ctx.kyc.parseCallback({ rawBody, headers });
  if (callback === "forged") return refuseForged(runtime, ctx, "kyc");
  if (callback === "senseless") return refuseSenseless(runtime, ctx, "kyc", null);
  return conclude(runtime, ctx, "kyc", callback.id, await applyKycCallback(ctx, callback));
}

async function receiveIssuer({ runtime, request, rawBody, ctx }: Incoming): Promise<Response> {
  const startedAtMs = performance.now();
  const signature = request.headers.get("stripe-signature");
  const callback = await ctx.issuer.parseCallback({ rawBody, signature });
  if (callback === "forged")
    return refuseForged(runtime, ctx, "issuer", /(?:^|,)\s*t=(\d{1,12})/.exec(signature ?? "")?.[1]);
  if (callback === "senseless") return refuseSenseless(runtime, ctx, "issuer", null);
  if (callback.kind === "authorization" && isForUs(ctx, callback))
    return answerAuthorization(runtime, ctx, { ...callback, startedAtMs });
  return conclude(runtime, ctx, "issuer", callback.id, await applyIssuerCallback(ctx, callback));
}

type AuthorizationCallback = Extract<Parameters<typeof applyIssuerCallback>[1], { kind: "authorization" }>;

/** Without `approved` the issuer would apply its own setting. */
const unreadable = refuse("unreadable_request");

/** The issuer waits for this answer. A decline, also of an unreadable request, has the same form as an approval. */
async function answerAuthorization(
  runtime: Runtime,
  ctx: CommitContext,
  { id: callbackId, request, startedAtMs }: AuthorizationCallback & { startedAtMs: number },
): Promise<Response> {
  const { approved, reason, amountCents } = request ? await authorize(ctx, request) : unreadable;
  const seconds = (performance.now() - startedAtMs) / 1000;
  runtime.metrics.observeDecision(approved, seconds);
  runtime.decisions.record(reason, seconds);
  runtime.metrics.countCallback("issuer", request ? "applied" : "refused");
  ctx.log.info({ provider: "issuer", callbackId, threadId: request?.threadId, approved, reason }, "authorization");
  const amount = amountCents === undefined ? {} : { amount: Number(amountCents) };
  return Response.json({ approved, ...amount, metadata: { reason } }, { headers: ctx.issuer.answerHeaders });
}

async function receiveEmoney({ runtime, request, rawBody, ctx }: Incoming): Promise<Response> {
  const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    request.headers.get(name),
  );
  const headers = { id: id ?? null, timestamp: timestamp ?? null, signature: signature ?? null };
  const callback = ctx.emoney.parseCallback({ rawBody, headers });
  if (callback === "forged") return refuseForged(runtime, ctx, "emoney", timestamp);
  if (callback === "senseless") return refuseSenseless(runtime, ctx, "emoney", headers.id);
  return conclude(runtime, ctx, "emoney", callback.id, await applyEmoneyCallback(ctx, callback));
}

type Provider = "kyc" | "issuer" | "emoney";

/** The partners' callbacks count for so long before and after their signature. */
const callbackSecondsMax = 300;

/** `signedAt`: when it says that it was signed, in Unix seconds. */
function refuseForged(runtime: Runtime, { log }: Context, provider: Provider, signedAt?: string | null): Response {
  runtime.metrics.countCallback(provider, "forged");
  const ageSeconds = signedAt ? Math.round(Date.now() / 1000 - Number(signedAt)) : null;
  if (ageSeconds !== null && Math.abs(ageSeconds) > callbackSecondsMax)
    log.warn(
      { provider, ageSeconds },
      "a callback was signed too long before or after this machine's time: see its clock, or it is an old callback again",
    );
  else log.warn({ provider }, "a callback was not authentic");
  return Response.json({ error: "Unauthorized" }, { status: 401, headers: errorHeaders("auth.invalid_signature") });
}

/** `callbackId`: null where only the body names it. */
function refuseSenseless(runtime: Runtime, { log }: Context, provider: Provider, callbackId: string | null): Response {
  runtime.metrics.countCallback(provider, "refused");
  log.error({ provider, callbackId }, "a callback has a body that cannot be true");
  return replyError(new CardkeepError("callbacks.senseless"), null);
}

function conclude(
  runtime: Runtime,
  { log }: Context,
  provider: Provider,
  callbackId: string,
  outcome: CallbackOutcome,
) {
  runtime.metrics.countCallback(provider, outcome);
  log.info({ provider, callbackId, outcome }, "callback");
  return outcome === "refused"
    ? replyError(new CardkeepError("callbacks.unknown_subject"), null)
    : Response.json({ ok: true });
}
