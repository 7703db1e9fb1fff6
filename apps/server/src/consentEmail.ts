/**
 * The page that asks for a mailed code before a consent, if the user's mail address is unproven. It needs no script.
 */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import type { CommitContext } from "@cardkeep/domain/core/context";
import { emailPagePath } from "@cardkeep/domain/users/ibans/beginConsent";
import { type EmailStep, proveEmail, sendEmailCode, showEmailStep } from "@cardkeep/domain/users/ibans/proveEmail";
import { type Html, markup } from "@cardkeep/html/markup";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { readBody } from "./body.ts";
import { answerCallback } from "./callback.ts";
import { createPersonPages, type PersonPages } from "./personPages.ts";
import { urlOf } from "./url.ts";

/** Mounts the page. Its forms go to the page itself and then redirect to the institution. */
export function mountConsentEmail(app: Elysia, runtime: Runtime): void {
  const formTargets = ["'self'", new URL(runtime.settings.emoney.consentUrl).origin];
  const answer = (pages: PersonPages, body: Html, status: number): Response =>
    pages.page({ title: pages.say("page.email.title"), body, status, formTargets });
  const reply = (ctx: CommitContext, step: EmailStep, status = 200): Response => {
    if (step.kind === "consent")
      return new Response(null, { status: 303, headers: { "Cache-Control": "no-store", Location: step.url } });
    const pages = createPersonPages(ctx, step.kind === "expired" ? null : step.language);
    if (step.kind === "expired") return answer(pages, renderExpired(pages), 400);
    const fault = findFault(pages, step.fault, status);
    return answer(pages, step.kind === "code" ? renderCode(pages, fault) : renderSend(pages, fault), status);
  };

  app.get(emailPagePath, ({ request }) =>
    answerCallback(runtime, "monerium/email", request, async (ctx) =>
      reply(ctx, await showEmailStep(ctx, stateOf(request))),
    ),
  );
  app.post(
    emailPagePath,
    ({ request }) =>
      answerCallback(runtime, "monerium/email", request, async (ctx) => {
        const code = new URLSearchParams(await readBody(request)).get("code")?.trim() ?? null;
        if (code !== null) return reply(ctx, await proveEmail(ctx, stateOf(request), code));
        return sendEmailCode(ctx, stateOf(request)).then(
          (step) => reply(ctx, step),
          async (error: unknown) => {
            if (!(error instanceof CardkeepError) || error.code !== "request.rate_limited") throw error;
            return reply(ctx, await showEmailStep(ctx, stateOf(request)), 429);
          },
        );
      }),
    { parse: "none" },
  );
}

function findFault({ say }: PersonPages, fault: "wrong" | null, status: number): string | null {
  if (status === 429) return say("page.code.many");
  return fault === null ? null : say("page.code.wrong");
}

const stateOf = (request: Request): string => urlOf(request).searchParams.get("state") ?? "";

const renderExpired = ({ say }: PersonPages): Html =>
  markup`<h1>${say("page.expired.title")}</h1><p>${say("page.expired.text")}</p>`;

const renderSend = ({ say }: PersonPages, fault: string | null): Html =>
  markup`<h1>${say("page.email.title")}</h1>
    <p>${say("page.email.ask")}</p>
    <form method="post">
      ${fault !== null && markup`<p role="alert">${fault}</p>`}
      <button>${say("page.email.send")}</button>
    </form>`;

const renderCode = ({ say }: PersonPages, fault: string | null): Html =>
  markup`<h1>${say("page.email.title")}</h1>
    <p>${say("page.email.sent")}</p>
    <form method="post">
      <p><label for="code">${say("page.code")}</label></p>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required autofocus />
      ${fault !== null && markup`<p role="alert">${fault}</p>`}
      <button>${say("page.continue")}</button>
    </form>
    <form method="post"><button>${say("page.email.again")}</button></form>`;
