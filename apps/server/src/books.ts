import { createContext } from "@cardkeep/domain/core/context";
import { isDay } from "@cardkeep/domain/core/calendar";
import { listRoots } from "@cardkeep/db/queries/books/closes";
import { markup } from "@cardkeep/html/markup";
import { chooseMediaType } from "@cardkeep/html/mediaType";
import type { Runtime } from "@cardkeep/runtime/compose";
import type { Elysia } from "elysia";
import { withDeadline } from "./deadline.ts";
import { createPersonPages } from "./personPages.ts";

const closesShown = 100;

/**
 * Mounts `/books` unless the operator keeps it closed: root and digest of each closed day, newest first, behind `?before=DAY`. Anybody may keep them, and check later
 * that no day was changed. Browsers get a page, programs JSON.
 */
export function mountBooks(app: Elysia, runtime: Runtime): void {
  if (!runtime.services.policy.areBooksPublic) return;
  app.get("/books", async ({ query, request }) => {
    const given = query["before"] ?? "";
    const before = isDay(given) ? given : null;
    const { lists } = runtime.services;
    const closes = await withDeadline(() => lists.read((on) => listRoots(on, { before, limit: closesShown })));
    const headers = { Vary: "Accept", "Cache-Control": "public, max-age=60" };
    if (chooseMediaType(request, "application/json") !== "text/html") return Response.json({ closes }, { headers });
    const ctx = createContext(runtime.services, { log: runtime.log, requestId: "books", acceptLanguage: null });
    const rows = closes.map(
      ({ day, root, digest }) =>
        markup`<li><p>${day}</p><p>root <code>${root}</code></p><p>digest <code>${digest}</code></p></li>`,
    );
    const last = closes.length === closesShown ? closes.at(-1) : undefined;
    const body = markup`<h1>Books</h1>
      <p class="lead">Each day that is over is closed once, with a root over its postings. Keep it, and a later change of that day shows.</p>
      ${rows.length === 0 ? markup`<p>No day is closed yet.</p>` : markup`<ul>${rows}</ul>`}
      ${last && markup`<p><a href="/books?before=${last.day}">Earlier days</a></p>`}`;
    return createPersonPages(ctx, null).page({ title: "Books", body, headers });
  });
}
