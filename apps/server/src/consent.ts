/** The address to which people return from the e-money institution's consent page. */
import { type ConsentOutcome, finishConsent } from "@cardkeep/domain/users/ibans/finishConsent";
import { markup } from "@cardkeep/html/markup";
import { chooseMediaType } from "@cardkeep/html/mediaType";
import { plainPageHeaders, renderPlainPage } from "@cardkeep/html/plainPage";
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
 * Mounts `GET /callbacks/monerium/oauth`. It redirects to the app with `?status=`. Without a known app, browsers get a page and
 * programs one line of text.
 */
export function mountConsent(app: Elysia, runtime: Runtime): void {
  app.get("/callbacks/monerium/oauth", ({ request }) =>
    answerCallback(runtime, "monerium/oauth", request, async (ctx) => {
      const { searchParams: query } = urlOf(request);
      const { outcome, callbackUrl } = await finishConsent(ctx, { state: query.get("state"), code: query.get("code") });
      return callbackUrl === null ? renderOutcome(request, outcome) : goOn(callbackUrl, outcome);
    }),
  );
}

function renderOutcome(request: Request, outcome: ConsentOutcome): Response {
  const status = outcome === "expired" ? 400 : 200;
  const text = outcomeTexts[outcome];
  if (chooseMediaType(request, "application/json") === "text/html") {
    const page = renderPlainPage(
      "Your bank account",
      markup`<main><h1>Your bank account</h1><p class="lead">${text}</p></main>`,
    );
    return new Response(page, { status, headers: { ...plainPageHeaders, ...headers, Vary: "Accept" } });
  }
  return new Response(`${text}\n`, {
    status,
    headers: { ...headers, "Content-Type": "text/plain; charset=utf-8", Vary: "Accept" },
  });
}

function goOn(callbackUrl: string, outcome: ConsentOutcome): Response {
  const url = new URL(callbackUrl);
  url.searchParams.set("status", outcome);
  return new Response(null, { status: 302, headers: { ...headers, Location: url.href } });
}
