/**
 * The script of the operator's pages: it reads the page again after the seconds that the page names and replaces what `main` holds. Without it, every
 * page works and shows when it was made.
 */

import { tickCountdowns } from "@cardkeep/html/browser/tickCountdowns";

const tickMs = 1_000;
const timeoutMs = 10_000;

const main = document.querySelector<HTMLElement>("main[data-live]");
const bar = document.querySelector<HTMLElement>(".live");
const fault = bar?.querySelector<HTMLElement>("[role=status]");
const button = bar?.querySelector<HTMLButtonElement>("button");

let lastReadMs = performance.now();
let isPaused = false;
let isReading = false;
/** The operator has typed into a form of this page. */
let isTouched = false;

/** Says something once; a screen reader repeats each change. */
function report(text: string): void {
  if (fault && fault.textContent !== text) fault.textContent = text;
}

/** Why the page must stay as it is; null if it may be replaced. */
function findHindrance(page: HTMLElement): string | null {
  if (document.visibilityState !== "visible") return "";
  if (isPaused) return "Paused.";
  const { activeElement } = document;
  if (isTouched || (page.contains(activeElement) && activeElement?.closest("form"))) return "Waits for your form.";
  if (page.querySelector("details[open]") !== null) return "Waits while a panel is open.";
  // The operator may be copying an id.
  const selection = document.getSelection();
  const isSelecting = selection !== null && !selection.isCollapsed && page.contains(selection.anchorNode);
  return isSelecting ? "Waits for your selection." : null;
}

const nameOf = (element: Element): string => element.id || (element.getAttribute("href") ?? element.textContent);

/** What a page holds, apart from the keys of its forms, which each reading makes anew. */
const contentOf = ({ innerHTML }: Element): string => innerHTML.replaceAll(/(name="formKey" value=)"[^"]*"/g, "$1");

/** Replaces what the page holds; the focus stays on the same link or button, and the scroll position where it was. */
function replacePage(page: HTMLElement, fresh: Element): void {
  if (contentOf(page) === contentOf(fresh)) return;
  const { activeElement } = document;
  const focused = page.contains(activeElement) && activeElement !== page && activeElement ? activeElement : null;
  const wanted = focused && { tag: focused.tagName, name: nameOf(focused) };
  const { scrollX, scrollY } = window;
  page.replaceChildren(...fresh.childNodes);
  window.scrollTo(scrollX, scrollY);
  if (!wanted) return;
  const again = [...page.querySelectorAll<HTMLElement>(wanted.tag)].find((element) => nameOf(element) === wanted.name);
  again?.focus({ preventScroll: true });
}

/** @throws Error without an answer in time */
async function readAgain(page: HTMLElement): Promise<string> {
  const response = await fetch(location.href, {
    // The server need not count it as the operator's own request.
    headers: { "Cardkeep-Refresh": "1" },
    cache: "no-store",
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.type === "opaqueredirect" || response.status === 401) {
    isPaused = true;
    return "Your session has ended. Load the page again to sign in.";
  }
  if (!response.ok) return `The server answers ${response.status}. This page is older.`;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const content = fresh.querySelector("main[data-live]");
  const made = fresh.querySelector(".live .updated");
  const hindrance = findHindrance(page);
  if (content === null || hindrance !== null) return hindrance ?? "";
  page.dataset["live"] = content.getAttribute("data-live") ?? "";
  replacePage(page, content);
  if (made) bar?.querySelector(".updated")?.replaceWith(made);
  return "";
}

async function refresh(page: HTMLElement): Promise<void> {
  const hindrance = findHindrance(page);
  if (hindrance !== null || isReading) {
    if (hindrance) report(hindrance);
    return;
  }
  isReading = true;
  lastReadMs = performance.now();
  report(await readAgain(page).catch(() => "The server does not answer. This page is older."));
  isReading = false;
}

// A second click sends nothing: only the first answer may show a key.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.elements.namedItem("formKey")) return;
  if (form.getAttribute("aria-busy") === "true") return event.preventDefault();
  form.setAttribute("aria-busy", "true");
  // A page that was not left by then gets no answer: loading was stopped, or another tab has it.
  setTimeout(() => form.removeAttribute("aria-busy"), 12_000);
});
// The browser shows a page that it kept as it was left.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[aria-busy]")) form.removeAttribute("aria-busy");
});

if (main) {
  tickCountdowns();
  // The message of a completed action goes away with the next reading.
  const address = new URL(location.href);
  for (const name of ["done", "count"]) address.searchParams.delete(name);
  if (address.href !== location.href) history.replaceState(null, "", address);

  const refreshIfOld = () => {
    if (performance.now() - lastReadMs >= Number(main.dataset["live"]) * 1_000) void refresh(main);
  };
  setInterval(refreshIfOld, tickMs);
  main.addEventListener("input", () => (isTouched = true));
  main.addEventListener("reset", () => (isTouched = false));
  document.addEventListener("visibilitychange", refreshIfOld);
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => {
      isPaused = !isPaused;
      button.textContent = isPaused ? "Go on" : "Pause";
      report(isPaused ? "Paused." : "");
      if (!isPaused) void refresh(main);
    });
  }
}
