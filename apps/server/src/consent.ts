/** The address to which people return from the e-money institution's consent page. */
import { type ConsentOutcome, finishConsent } from "@cardkeep/domain/ibans/finishConsent";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { answerCallback } from "./callback.ts";
import { urlOf } from "./url.ts";

const outcomeTexts: Readonly<Record<ConsentOutcome, string>> = {
  linked: "Your account is linked. You can go back to the app.",
  denied: "You did not agree, so nothing was linked. You can go back to the app.",
  failed: "Your account could not be linked. Go back to the app and try again.",
  expired: "This link was used already or is too old. Go back to the app and try again.",
};

/** The address holds a code: it must not be cached, and no other site may get it as a referrer. */
const headers = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };

/**
 * Mounts `GET /callbacks/monerium/oauth`. It redirects to the app with `?status=`, or answers one line of text
 * without a known app.
 */
export function mountConsent(app: Elysia, runtime: Runtime): void {
  app.get("/callbacks/monerium/oauth", ({ request }) =>
    answerCallback(runtime, "monerium/oauth", request, async (ctx) => {
      const { searchParams: query } = urlOf(request);
      const { outcome, callbackUrl } = await finishConsent(ctx, { state: query.get("state"), code: query.get("code") });
      return callbackUrl === null ? renderOutcome(outcome) : goOn(callbackUrl, outcome);
    }),
  );
}

const renderOutcome = (outcome: ConsentOutcome): Response =>
  new Response(`${outcomeTexts[outcome]}\n`, {
    status: outcome === "expired" ? 400 : 200,
    headers: { ...headers, "Content-Type": "text/plain; charset=utf-8" },
  });

function goOn(callbackUrl: string, outcome: ConsentOutcome): Response {
  const url = new URL(callbackUrl);
  url.searchParams.set("status", outcome);
  return new Response(null, { status: 302, headers: { ...headers, Location: url.href } });
}
