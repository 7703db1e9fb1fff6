/** The frame of all operator pages: brand, search, operator, rooms, and how old the page is. */
import { deskNouns } from "@cardkeep/desk/nouns";
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { formatOffset } from "@cardkeep/contract/core/durations";
import { bundleScript } from "@cardkeep/html/bundleScript";
import { renderDocument } from "@cardkeep/html/document";
import { dataLook, look } from "@cardkeep/html/look";
import { markup, type Html } from "@cardkeep/html/markup";
import { pictureStyle } from "@cardkeep/html/pictures/pictureStyle";
import { buildPageHeaders } from "@cardkeep/html/policy";
import { renderTimeOfDay } from "@cardkeep/html/time";
import { operatorScript } from "../../browserScripts.ts";
import type { Page } from "./page.ts";
import { type RoomCounts, renderRooms, roomsButton } from "./navigation.ts";
import { frameStyle } from "./frameStyle.ts";
import { style as ownStyle } from "./style.ts";

export const style = look + dataLook + frameStyle + ownStyle + pictureStyle;

const commonHeaders = {
  "Cache-Control": "no-store",
  // Under `no-referrer` browsers would not name the origin of a form.
  "Referrer-Policy": "same-origin",
};

/** The headers of a page without a script, such as the sign-in. */
export const plainHeaders = { ...buildPageHeaders({ style, self: ["form-action"] }), ...commonHeaders };

/** What the frame shows around a page. */
export interface FrameInput {
  readonly path: string;
  readonly query: URLSearchParams;
  /** Who is signed in. */
  readonly operator: Pick<OperatorActor, "name" | "roles">;
  /** Whether the page may be read again by its address: not the answer to a form, and not an error. */
  readonly isLive: boolean;
  /** Seconds that the service's clock is ahead of the wall clock; 0 outside the sandbox. */
  readonly offsetSeconds?: number;
  /** What waits for operators. */
  readonly counts?: RoomCounts;
  /** The search box. */
  readonly search?: Html;
  /** What holds for the whole service now, above every page. */
  readonly banner?: Html | null;
}

/** The message about a completed action, by the word in the next page's query. */
const notices = new Map<string | null, (count: number) => string>([
  ...deskNouns.flatMap(({ name, acts }) =>
    Object.entries(acts).flatMap(([act, { done }]) => (done ? [[`${name}.${act}`, done] as const] : [])),
  ),
  ["asked", () => "Your request waits for a second person."],
  ["done", () => "Done."],
  ["found", () => "This is all that your search found."],
]);

function renderNotice(query: URLSearchParams): Html | null {
  const [, count = "0"] = /^(\d{1,9})$/.exec(query.get("count") ?? "") ?? [];
  const notice = notices.get(query.get("done"));
  return notice ? markup`<p class="notice" role="status">${notice(Number(count))}</p>` : null;
}

/** After how many seconds a browser reads a page again. */
const [steadySeconds, changingSeconds] = [15, 2];

export const titleOf = (title: string): string => `${title} · Cardkeep operator`;

/** How old the page is, by the service's clock. The script reveals the button and writes into the status. */
const renderAge = (offsetSeconds: number): Html =>
  markup`<section class="live" aria-label="Age of the page">
    <span class="updated">Updated ${renderTimeOfDay(new Date(Date.now() + offsetSeconds * 1000))} UTC${
      offsetSeconds !== 0 && `, ${formatOffset(offsetSeconds)} ahead of the wall clock`
    }</span>
    <span role="status"></span>
    <button type="button" class="quiet" hidden>Pause</button>
  </section>`;

const renderHeader = ({ operator, search }: FrameInput): Html =>
  markup`<header>
    <p class="brand"><a href="/operator">Cardkeep</a> <span class="tag">operator</span></p>
    ${roomsButton} <div class="search">${search}</div>
    <p class="operator">${operator.name} ${operator.roles.map((role) => markup`<span class="tag">${role}</span> `)}</p>
    <form class="sign-out" method="post" action="/operator/sign-out"><button class="quiet">Sign out</button></form>
  </header>`;

/** A page for a signed-in operator, with its headers. */
export async function renderFrame(
  { title, body, isChanging = false }: Page,
  input: FrameInput,
): Promise<{ html: string; headers: Readonly<Record<string, string>> }> {
  const script = await bundleScript(operatorScript);
  const html = renderDocument({
    title: titleOf(title),
    style,
    script,
    body: markup`<a class="skip" href="#main">Skip to the page</a>
      ${renderHeader(input)} ${input.banner}
      <div class="desk">
        ${renderRooms(input.path, input.operator, input.counts ?? { approvals: 0 })}
        <div class="content">
          ${input.isLive && renderAge(input.offsetSeconds ?? 0)}
          <main id="main" tabindex="-1"${input.isLive && markup` data-live="${isChanging ? changingSeconds : steadySeconds}"`}>
            ${renderNotice(input.query)}
            <h1>${title}</h1>
            ${body}
          </main>
          <footer>Times are in UTC. On a terminal: <code>bun run cardkeep</code></footer>
        </div>
      </div>`,
  });
  const headers = buildPageHeaders({ style, script, self: ["form-action", "connect-src"] });
  return { html, headers: { ...headers, ...commonHeaders } };
}
