import { CardkeepError } from "@cardkeep/contract/core/errors";
import { createContext } from "@cardkeep/domain/core/context";
import { listTerms } from "@cardkeep/domain/users/users/terms";
import { markup } from "@cardkeep/html/markup";
import { chooseMediaType } from "@cardkeep/html/mediaType";
import { plainPageHeaders, renderPlainPage } from "@cardkeep/html/plainPage";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { answerMissing } from "./missingPage.ts";
import { replyError } from "./reply.ts";

const unpublished = "The operator of this service has not published this document yet.";

/**
 * Mounts `/terms/{type}`: the documents that `/api/v1/terms` links to until an operator sets `TERMS_URL`. Browsers get a page,
 * programs plain text.
 */
export function mountTerms(app: Elysia, runtime: Runtime): void {
  app.get("/terms/:type", async ({ params, request }) => {
    const { terms } = await listTerms(createContext(runtime.services, { log: runtime.log, requestId: "terms" }));
    const document = terms.find(({ type }) => type === params.type);
    if (!document)
      return answerMissing(runtime.settings, request) ?? replyError(new CardkeepError("request.not_found"), null);
    const { name, currentVersion } = document;
    if (chooseMediaType(request, "application/json") === "text/html") {
      const body = markup`<main><h1>${name}</h1><p class="lead">Version ${currentVersion}. ${unpublished}</p></main>`;
      return new Response(renderPlainPage(name, body), { headers: { ...plainPageHeaders, Vary: "Accept" } });
    }
    const text = `${name}, ${currentVersion}\n\n${unpublished}\n`;
    return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8", Vary: "Accept" } });
  });
}
