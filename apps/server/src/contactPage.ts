/** The page by which a person agrees to a change of a contact that support asked for, or refuses it. It needs no script. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import type { CommitContext } from "@cardkeep/domain/core/context";
import type { TextValues } from "@cardkeep/domain/core/languages/languages";
import {
  agreeToChange,
  type ContactStep,
  proveContact,
  refuseChange,
  type ShownContact,
  showContactStep,
} from "@cardkeep/domain/verification/contacts/agreeToChange";
import { contactPagePath } from "@cardkeep/domain/verification/contacts/contactChange";
import { type Html, markup } from "@cardkeep/html/markup";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { readBody } from "./body.ts";
import { answerCallback } from "./callback.ts";
import { createPersonPages, type PersonPages } from "./personPages.ts";
import { urlOf } from "./url.ts";

/** The address holds the token: it must not be cached, and no other site may get it as a referrer. */
const headers = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };

/** Mounts the page. A `GET` changes nothing: programs that scan mails open links. */
export function mountContactPage(app: Elysia, runtime: Runtime): void {
  app.get(contactPagePath, ({ request }) =>
    answerCallback(runtime, "contact", request, async (ctx) =>
      reply(ctx, await showContactStep(ctx, tokenOf(request)), 200),
    ),
  );
  app.post(
    contactPagePath,
    ({ request }) =>
      answerCallback(runtime, "contact", request, async (ctx) => {
        const form = new URLSearchParams(await readBody(request));
        try {
          return reply(ctx, await act(ctx, tokenOf(request), form), 200);
        } catch (error) {
          if (!(error instanceof CardkeepError)) throw error;
          if (error.code === "users.contact_taken") return reply(ctx, { kind: "expired", language: null }, 409);
          if (error.code !== "request.rate_limited") throw error;
          return reply(ctx, await showContactStep(ctx, tokenOf(request)), 429);
        }
      }),
    { parse: "none" },
  );
}

const tokenOf = (request: Request): string => urlOf(request).searchParams.get("token") ?? "";

function act(ctx: CommitContext, token: string, form: URLSearchParams): Promise<ContactStep> {
  const code = form.get("code");
  if (code !== null) return proveContact(ctx, token, code.trim());
  return form.get("answer") === "refuse" ? refuseChange(ctx, token) : agreeToChange(ctx, token);
}

function reply(ctx: CommitContext, step: ContactStep, status: number): Response {
  const pages = createPersonPages(ctx, "change" in step ? step.change.language : step.language);
  const answer = (body: Html, answered = status): Response =>
    pages.page({ title: pages.say("page.contact.title"), body, status: answered, headers });
  switch (step.kind) {
    case "expired":
      return answer(renderEnd(pages, "page.expired.title", "page.contact.expired"), status === 200 ? 400 : status);
    case "changed":
      return answer(
        renderEnd(pages, "page.contact.title", "page.contact.changed", { hours: ctx.policy.contactWindowHours }),
      );
    case "refused":
      return answer(renderEnd(pages, "page.contact.title", "page.contact.refused"));
    case "ask":
      return answer(renderQuestion(pages, step.change, findFault(pages, step.fault, status)));
    case "code":
      return answer(renderCode(pages, step.change, findFault(pages, step.fault, status)));
  }
}

function findFault({ say }: PersonPages, fault: "wrong" | "unreachable" | null, status: number): string | null {
  if (status === 429) return say("page.code.many");
  return fault === null ? null : say(fault === "wrong" ? "page.code.wrong" : "page.contact.unreachable");
}

type EndKey = "page.expired.title" | "page.contact.title";
type EndText = "page.contact.expired" | "page.contact.changed" | "page.contact.refused";

const renderEnd = ({ say }: PersonPages, title: EndKey, text: EndText, values: TextValues = {}): Html =>
  markup`<h1>${say(title)}</h1><p>${say(text, values)}</p>`;

const renderQuestion = ({ say }: PersonPages, { contact, masked }: ShownContact, fault: string | null): Html =>
  markup`<h1>${say("page.contact.title")}</h1>
    <p>${say("page.contact.ask", { kind: contact, value: masked })}</p>
    ${fault !== null && markup`<p role="alert">${fault}</p>`}
    <form method="post"><button name="answer" value="agree">${say("page.contact.agree")}</button></form>
    <form method="post"><button name="answer" value="refuse">${say("page.contact.refuse")}</button></form>`;

const renderCode = ({ say }: PersonPages, { masked }: ShownContact, fault: string | null): Html =>
  markup`<h1>${say("page.contact.title")}</h1>
    <p>${say("page.contact.sent", { value: masked })}</p>
    <form method="post">
      <p><label for="code">${say("page.code")}</label></p>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required autofocus />
      ${fault !== null && markup`<p role="alert">${fault}</p>`}
      <button>${say("page.continue")}</button>
    </form>
    <form method="post"><button name="answer" value="agree">${say("page.email.again")}</button></form>`;
