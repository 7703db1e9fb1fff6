/** The search for anything: its box in every page's header, and what it found by kind. */
import { cardStatusWords } from "@cardkeep/contract/cards/cards";
import {
  type FoundGroup,
  type FoundKind,
  isNamed,
  nameKind,
  search,
  searchTextMax,
} from "@cardkeep/domain/operations/search/search";
import { markup, type Html } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { type Names, readNamesOf } from "./names.ts";
import { type Action, linkTo, type ShowPage } from "./page/page.ts";
import { renderCode, renderIdLink, renderStatus, renderTable, renderWords } from "./page/parts.ts";

type Hit = FoundGroup["hits"][number];

/** The box of the header. By POST, so that mail addresses stay out of browser histories and access logs. */
export const searchBox: Html = markup`<form class="find" role="search" method="post" action="/operator/search">
  <label for="search-all">Search everything</label>
  <input id="search-all" name="text" type="search" maxlength="${searchTextMax}" placeholder="Mail, name, card, id, hash …" required autocomplete="off" />
  <button>Search</button>
</form>`;

const hint = markup`<p class="lead">
  A part of a mail address, name, phone number or IBAN; the beginning of a merchant's name, as of payments of the last three months; a wallet or Safe; a card token or its last four digits; an id, the issuer's thread, the hash
  of a transaction or the id of a request.
</p>`;

export const showSearch: ShowPage = async () => ({ title: "Search", body: hint });

/** Where a row has a page of its own; a Safe and an IBAN are on their user's. */
const pathsOf: Readonly<Partial<Record<FoundKind, string>>> = {
  users: "/operator/users",
  cards: "/operator/cards",
  payments: "/operator/payments",
  orders: "/operator/orders",
  delays: "/operator/delays",
  partners: "/operator/partners",
  deliveries: "/operator/deliveries",
  jobs: "/operator/jobs",
};

/** The address of a row, or of its user; null where there is neither. */
function findAddress(kind: FoundKind, { id, title, userId }: Hit): string | null {
  if (kind === "merchants") return linkTo("/operator/payments", { merchant: title });
  const path = pathsOf[kind];
  if (path !== undefined) return `${path}/${encodeURIComponent(id)}`;
  return userId === null ? null : `/operator/users/${encodeURIComponent(userId)}`;
}

const nameStatus = (kind: FoundKind, status: string | null): string | null =>
  kind === "cards" ? (Object.entries(cardStatusWords).find(([code]) => code === status)?.[1] ?? status) : status;

function renderGroup({ kind, hits, isMore }: FoundGroup, names: Names): Html {
  const rows = hits.map((hit) => {
    const address = findAddress(kind, hit);
    const title = renderWords(hit.title);
    return [
      address === null ? title : markup`<a href="${address}">${title}</a>`,
      hit.detail === null ? "–" : renderWords(hit.detail),
      renderStatus(nameStatus(kind, hit.status)),
      hit.userId === null ? "–" : renderIdLink("/operator/users", hit.userId, names.get(hit.userId)),
      renderCode(hit.id),
      renderTime(hit.createdAt),
    ];
  });
  return markup`<h2>${nameKind(kind)}</h2>
    ${renderTable(["What", "Detail", "Status", "User", "Id", "Created"], rows, "")}
    ${isMore && markup`<p class="none">More than ${hits.length} were found: type more of it.</p>`}`;
}

/**
 * What was found, by kind. If it is one row, and the text is its whole id or name, the row's page opens and says so: nothing
 * else can have been meant. Otherwise the operator chooses.
 */
export const findAnything: Action = async (visit) => {
  const { ctx, form } = visit;
  const { text, groups } = await search(ctx, { text: form.get("text") ?? "" });
  const [first] = groups;
  const [only] = first?.hits ?? [];
  if (first && only && groups.length === 1 && first.hits.length === 1 && isNamed(only, text)) {
    const address = findAddress(first.kind, only);
    if (address !== null) return linkTo(address, { done: "found" });
  }
  const names = await readNamesOf(
    visit,
    groups.flatMap(({ hits }) => hits.flatMap(({ userId }) => userId ?? [])),
  );
  const found =
    groups.length === 0
      ? markup`<p class="none">Nothing was found.</p>${hint}`
      : groups.map((group) => renderGroup(group, names));
  return { title: "Search", body: markup`<p class="lead">For <code>${text}</code></p>${found}` };
};
