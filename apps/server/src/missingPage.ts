/** The page of an unknown address, for people. Programs get JSON. */
import { apiPrefix } from "@cardkeep/contract/core/route";
import { chooseMediaType } from "@cardkeep/html/mediaType";
import { plainPageHeaders, renderMissing } from "@cardkeep/html/plainPage";
import type { Settings } from "@cardkeep/runtime/settings";
import { documentLinks, operatorLink } from "./landing.ts";
import { hasOperatorPages } from "./operator.ts";
import { errorHeaders } from "./reply.ts";
import { urlOf } from "./url.ts";

const missing = "request.not_found";
const notFound = 404;

/** Paths that only programs call. */
const isOfApi = (path: string): boolean =>
  [apiPrefix, "/trpc"].some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

/** The page, if the request prefers one and its path is not of the API; otherwise null. */
export function answerMissing(settings: Settings, request: Request): Response | null {
  const { pathname } = urlOf(request);
  if (isOfApi(pathname) || chooseMediaType(request, "application/json") !== "text/html") return null;
  const links = [
    { href: "/", title: "Start page", text: "What this service is, and whether it runs." },
    ...documentLinks,
    ...(hasOperatorPages(settings) && !settings.production ? [operatorLink] : []),
  ];
  return new Response(renderMissing(pathname, links), {
    status: notFound,
    headers: { ...plainPageHeaders, ...errorHeaders(missing), Vary: "Accept" },
  });
}
