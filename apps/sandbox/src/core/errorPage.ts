/** Errors as pages for people who follow a link. Programs get JSON. */
import { markup } from "@cardkeep/html/markup";
import { chooseMediaType } from "@cardkeep/html/mediaType";
import { plainPageHeaders, renderLinks, renderMissing, renderPlainPage } from "@cardkeep/html/plainPage";
import { z } from "zod";

/** The sandbox's own form of an error. */
const errorBody = z.strictObject({ error: z.string() });
const errorStatusMin = 400;

/** What the answer to an unknown address says. */
export const unknownAddress = "Not found";

/** Replaces the sandbox's own error by a page, if the request prefers one. `start` is the console's address. */
export async function showErrorPage(request: Request, response: Response, start: string): Promise<Response> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (response.status < errorStatusMin || !isJson) return response;
  if (chooseMediaType(request, "application/json") !== "text/html") return response;
  const read = errorBody.safeParse(await response.clone().json());
  if (!read.success) return response;
  const links = [
    { href: start, title: "Sandbox console", text: "What runs, and the desk of each role." },
    { href: `${start}#routes`, title: "All routes", text: "Every route of the sandbox as a form." },
  ];
  const { error } = read.data;
  const html =
    error === unknownAddress
      ? renderMissing(new URL(request.url).pathname, links)
      : renderPlainPage(
          `${error} · Cardkeep sandbox`,
          markup`<main><h1>${error}</h1><h2>Where to go on</h2>${renderLinks(links)}</main>`,
        );
  return new Response(html, { status: response.status, headers: { ...plainPageHeaders, Vary: "Accept" } });
}
