/** The address to which people return from the e-money institution's consent page. */
import { type ConsentOutcome, finishConsent } from "@cardkeep/domain/users/ibans/finishConsent";
import { markup } from "@cardkeep/html/markup";
import { chooseMediaType } from "@cardkeep/html/mediaType";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { answerCallback } from "./callback.ts";
import { createPersonPages, type PersonPages } from "./personPages.ts";
import { urlOf } from "./url.ts";

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
      const answer = { state: query.get("state"), code: query.get("code") };
      const { outcome, callbackUrl, language } = await finishConsent(ctx, answer);
      return callbackUrl === null
        ? renderOutcome(request, createPersonPages(ctx, language), outcome)
        : goOn(callbackUrl, outcome);
    }),
  );
}

function renderOutcome(request: Request, { say, page }: PersonPages, outcome: ConsentOutcome): Response {
  const status = outcome === "expired" ? 400 : 200;
  const text = say(`page.consent.${outcome}`);
  if (chooseMediaType(request, "application/json") === "text/html") {
    const title = say("page.consent.title");
    const body = markup`<h1>${title}</h1><p class="lead">${text}</p>`;
    return page({ title, body, status, headers: { ...headers, Vary: "Accept, Accept-Language" } });
  }
  return new Response(`${text}\n`, {
    status,
    headers: { ...headers, "Content-Type": "text/plain; charset=utf-8", Vary: "Accept, Accept-Language" },
  });
}

function goOn(callbackUrl: string, outcome: ConsentOutcome): Response {
  const url = new URL(callbackUrl);
  url.searchParams.set("status", outcome);
  return new Response(null, { status: 302, headers: { ...headers, Location: url.href } });
}
