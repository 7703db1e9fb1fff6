import { CardkeepError } from "@cardkeep/contract/core/errors";
import { createContext } from "@cardkeep/domain/core/context";
import { listTerms } from "@cardkeep/domain/users/users/terms";
import { markup } from "@cardkeep/html/markup";
import { chooseMediaType } from "@cardkeep/html/mediaType";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { withDeadline } from "./deadline.ts";
import { answerMissing } from "./missingPage.ts";
import { createPersonPages } from "./personPages.ts";
import { replyError } from "./reply.ts";

/**
 * Mounts `/terms/{type}`: the documents that `/api/v1/terms` links to until an operator sets `TERMS_URL`. Browsers get a page,
 * programs plain text.
 */
export function mountTerms(app: Elysia, runtime: Runtime): void {
  app.get("/terms/:type", async ({ params, request }) => {
    const acceptLanguage = request.headers.get("accept-language");
    const ctx = createContext(runtime.services, { log: runtime.log, requestId: "terms", acceptLanguage });
    const { terms } = await withDeadline(() => listTerms(ctx));
    const document = terms.find(({ type }) => type === params.type);
    if (!document)
      return answerMissing(runtime.settings, request) ?? replyError(new CardkeepError("request.not_found"), null);
    const { say, page } = createPersonPages(ctx, null);
    const name = say(`page.terms.${document.type}`);
    const version = say("page.terms.version", { version: document.currentVersion });
    const unpublished = say("page.terms.unpublished");
    const vary = { Vary: "Accept, Accept-Language" };
    if (chooseMediaType(request, "application/json") === "text/html") {
      const body = markup`<h1>${name}</h1><p class="lead">${version} ${unpublished}</p>`;
      return page({ title: name, body, headers: vary });
    }
    const text = `${name}, ${document.currentVersion}\n\n${unpublished}\n`;
    return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8", ...vary } });
  });
}
