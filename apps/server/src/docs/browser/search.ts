/** Search over all documents: a dialog that `/` or the button opens. Loaded with its index when it is first used. */
import MiniSearch from "minisearch";
import { findEntries, type FoundEntry } from "../findEntries.ts";
import { type SearchIndex, searchOptions } from "../searchOptions.ts";

const shownMax = 30;

const dialog = document.createElement("dialog");
dialog.className = "search";
dialog.setAttribute("aria-label", "Search the documents");
const input = document.createElement("input");
input.type = "search";
input.placeholder = "A question, or a route, error, event, setting";
input.autocomplete = "off";
input.setAttribute("aria-label", "Search");
const close = document.createElement("button");
close.type = "button";
close.textContent = "Close";
close.addEventListener("click", () => dialog.close());
const head = document.createElement("div");
head.className = "head";
head.append(input, close);
const status = document.createElement("p");
status.role = "status";
const list = document.createElement("ul");
dialog.append(head, status, list);
document.body.append(dialog);

let loading: Promise<SearchIndex> | null = null;

/** Reads the index once; a failed attempt is repeated at the next search. */
function readIndex(): Promise<SearchIndex> {
  loading ??= fetch("/docs/search.json")
    .then(async (response) => MiniSearch.loadJSON(await response.text(), searchOptions))
    .catch((error: unknown) => {
      loading = null;
      throw error;
    });
  return loading;
}

const addText = (parent: Element, tag: string, className: string, text: string): void => {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent.append(element);
};

function renderResult({ kind, title, text, href }: FoundEntry): HTMLLIElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = href;
  addText(link, "span", "kind", kind);
  addText(link, "span", "name", title);
  addText(link, "span", "meta", text);
  // A link to a place on the same page loads nothing, so the dialog would stay.
  link.addEventListener("click", () => dialog.close());
  item.append(link);
  return item;
}

async function search(): Promise<void> {
  const text = input.value.trim();
  if (text === "") {
    list.replaceChildren();
    status.textContent = "";
    return;
  }
  const results = await readIndex().then(
    (index) => findEntries(index, text),
    () => null,
  );
  // A later search may have answered first.
  if (input.value.trim() !== text) return;
  list.replaceChildren(...(results ?? []).slice(0, shownMax).map(renderResult));
  if (results === null) status.textContent = "The server does not answer. Try again.";
  else status.textContent = results.length === 0 ? `Nothing has the words "${text}".` : `${results.length} found`;
}

input.addEventListener("input", () => void search());

/** Arrow keys move through the results, and Enter in the field opens the first. */
dialog.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")];
  const at = links.findIndex((link) => link === document.activeElement);
  if (event.key === "Enter" && event.target === input) links[0]?.click();
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const next = links[at + step];
  if (next) next.focus();
  else if (at + step < 0) input.focus();
});

dialog.addEventListener("click", (event) => {
  // The dialog's own box is covered by its content, so this is the backdrop.
  if (event.target === dialog) dialog.close();
});

document.addEventListener("cardkeep:search", () => {
  if (dialog.open) return;
  dialog.showModal();
  input.select();
  void readIndex().catch(() => {
    status.textContent = "The server does not answer. Try again.";
  });
});
