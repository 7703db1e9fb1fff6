/**
 * The page that asks for a mailed code before a consent, if the user's mail address is unproven. It needs no script.
 */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { emailPagePath } from "@cardkeep/domain/users/ibans/beginConsent";
import { type EmailStep, proveEmail, sendEmailCode, showEmailStep } from "@cardkeep/domain/users/ibans/proveEmail";
import { renderDocument } from "@cardkeep/html/document";
import { look } from "@cardkeep/html/look";
import { type Html, markup } from "@cardkeep/html/markup";
import { buildPageHeaders } from "@cardkeep/html/policy";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { readBody } from "./body.ts";
import { answerCallback } from "./callback.ts";
import { urlOf } from "./url.ts";

const style = `${look}
main { max-width: 30rem; margin: 3rem auto; padding: 0 1rem; }
form { margin-top: 1.5rem; }
input, button { font: inherit; padding: .5rem .8rem; }
`;

/** Mounts the page. Its forms go to the page itself and then redirect to the institution. */
export function mountConsentEmail(app: Elysia, runtime: Runtime): void {
  const { consentUrl } = runtime.settings.emoney;
  const headers = {
    ...buildPageHeaders({ style, formTargets: ["'self'", new URL(consentUrl).origin] }),
    "Cache-Control": "no-store",
  };
  const page = (body: Html, status: number): Response =>
    new Response(renderDocument({ title: "Prove your e-mail address", style, body: markup`<main>${body}</main>` }), {
      status,
      headers,
    });
  const reply = (step: EmailStep, isSent: boolean): Response => {
    if (step.kind === "expired") return page(expired, 400);
    if (step.kind === "ask") return page(isSent ? renderCode(step.fault) : renderSend(null), 200);
    return new Response(null, { status: 303, headers: { "Cache-Control": "no-store", Location: step.url } });
  };

  app.get(emailPagePath, ({ request }) =>
    answerCallback(runtime, "monerium/email", request, async (ctx) =>
      reply(await showEmailStep(ctx, stateOf(request)), false),
    ),
  );
  app.post(
    emailPagePath,
    ({ request }) =>
      answerCallback(runtime, "monerium/email", request, async (ctx) => {
        const code = new URLSearchParams(await readBody(request)).get("code")?.trim() ?? null;
        if (code !== null) return reply(await proveEmail(ctx, stateOf(request), code), true);
        return sendEmailCode(ctx, stateOf(request)).then(
          (step) => reply(step, true),
          (error: unknown) => {
            if (!(error instanceof CardkeepError) || error.code !== "request.rate_limited") throw error;
            return page(renderSend("Too many codes were sent. Wait a minute, then try again."), 429);
          },
        );
      }),
    { parse: "none" },
  );
}

const stateOf = (request: Request): string => urlOf(request).searchParams.get("state") ?? "";

const expired = markup`<h1>This link is too old</h1>
  <p>Or it was used already. Go back to the app and try again.</p>`;

const renderSend = (fault: string | null): Html =>
  markup`<h1>Prove your e-mail address</h1>
    <p>There is already an e-money profile with the e-mail address of your account. Before you link it, enter a code from that mailbox.</p>
    <form method="post">
      ${fault !== null && markup`<p role="alert">${fault}</p>`}
      <button>Send the code</button>
    </form>`;

const renderCode = (fault: "wrong" | null): Html =>
  markup`<h1>Prove your e-mail address</h1>
    <p>We sent a code to the e-mail address of your account.</p>
    <form method="post">
      <p><label for="code">Code</label></p>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required autofocus />
      ${fault !== null && markup`<p role="alert">This code is wrong or too old.</p>`}
      <button>Continue</button>
    </form>
    <form method="post"><button>Send another code</button></form>`;
