/** The frame of all operator pages. */
import { renderDocument } from "@cardkeep/html/document";
import { dataLook, look } from "@cardkeep/html/look";
import { markup, type Html } from "@cardkeep/html/markup";
import type { Page } from "./page.ts";
import { style as ownStyle } from "./style.ts";

export const style = look + dataLook + ownStyle;

const rooms = {
  "/operator": "Overview",
  "/operator/users": "Users",
  "/operator/delays": "Delays",
  "/operator/relayers": "Relayers",
  "/operator/jobs": "Jobs",
  "/operator/deliveries": "Deliveries",
} as const;

const isIn = (path: string, room: string): boolean =>
  path === room || (room !== "/operator" && path.startsWith(`${room}/`));

/** The message about a completed action, by the word in the next page's query. */
const notices = new Map<string | null, (count: string) => string>([
  ["retried", (count) => (count === "1" ? "1 job will run again." : `${count} jobs will run again.`)],
  [
    "replayed",
    (count) => (count === "1" ? "1 delivery will be sent again." : `${count} deliveries will be sent again.`),
  ],
]);

function renderNotice(query: URLSearchParams): Html | null {
  const [, count = "0"] = /^(\d{1,9})$/.exec(query.get("count") ?? "") ?? [];
  const notice = notices.get(query.get("done"));
  return notice ? markup`<p class="notice" role="status">${notice(count)}</p>` : null;
}

const render = (title: string, body: Html): string =>
  renderDocument({ title: `${title} · Cardkeep operator`, style, body });

/** A page for a signed-in operator. */
export const renderFrame = ({ title, body }: Page, { path, query }: { path: string; query: URLSearchParams }): string =>
  render(
    title,
    markup`<header>
        <p class="brand"><a href="/operator">Cardkeep</a> <span class="tag">operator</span></p>
        <nav aria-label="Pages">
          ${Object.entries(rooms).map(
            ([room, name]) => markup`<a href="${room}"${isIn(path, room) && markup` aria-current="page"`}>${name}</a> `,
          )}
        </nav>
        <form method="post" action="/operator/sign-out"><button class="quiet">Sign out</button></form>
      </header>
      <main>
        ${renderNotice(query)}
        <h1>${title}</h1>
        ${body}
        <footer>Times are in UTC. On a terminal: <code>bun run cardkeep</code></footer>
      </main>`,
  );

/** The form that asks for the key; `next` is the address to open afterwards. */
export const renderSignIn = ({ next, refusal }: { next: string; refusal: string | null }): string =>
  render(
    "Sign in",
    markup`<main class="narrow">
      <p class="brand">Cardkeep <span class="tag">operator</span></p>
      <form class="panel sign-in" method="post" action="/operator/sign-in">
        <label for="key">Operator key</label>
        <input id="key" name="key" type="password" autocomplete="current-password" required autofocus />
        <input name="next" type="hidden" value="${next}" />
        ${refusal !== null && markup`<p class="refusal" role="alert">${refusal}</p>`}
        <button>Sign in</button>
        <p class="none">It is the <code>OPERATOR_API_KEY</code> of this service. You stay signed in for an hour.</p>
      </form>
    </main>`,
  );
