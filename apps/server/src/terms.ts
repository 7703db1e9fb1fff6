import { CardkeepError } from "@cardkeep/contract/errors";
import { createContext } from "@cardkeep/domain/context";
import { listTerms } from "@cardkeep/domain/users/terms";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { replyError } from "./reply.ts";

/** Mounts `/terms/{type}`: the documents that `/api/v1/terms` links to until an operator sets `TERMS_URL`. */
export function mountTerms(app: Elysia, runtime: Runtime): void {
  app.get("/terms/:type", async ({ params }) => {
    const { terms } = await listTerms(createContext(runtime.services, { log: runtime.log, requestId: "terms" }));
    const document = terms.find(({ type }) => type === params.type);
    if (!document) return replyError(new CardkeepError("request.not_found"), null);
    const text = `${document.name}, ${document.currentVersion}\n\nThe operator of this service has not published this document yet.\n`;
    return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
  });
}
