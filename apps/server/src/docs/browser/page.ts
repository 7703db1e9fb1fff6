/** The script of every page: tabs, copying, old addresses, and the scripts of search and of running a route once they are used. */
import { followOldAnchor } from "./oldAnchors.ts";
import { makeTabs } from "./tabs.ts";

const copiedMs = 1_200;

document.documentElement.classList.add("js");
followOldAnchor();
addEventListener("hashchange", followOldAnchor);
makeTabs();

async function copy(button: HTMLElement): Promise<void> {
  const code = button.closest(".panel")?.querySelector("pre")?.textContent ?? "";
  await navigator.clipboard.writeText(code);
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = label;
  }, copiedMs);
}

const loaded = new Map<string, Promise<void>>();

/** Loads a script of this server once. */
function load(path: string): Promise<void> {
  const known = loaded.get(path);
  if (known) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = path;
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => {
      loaded.delete(path);
      reject(new Error(`${path} could not be loaded`));
    });
    document.head.append(script);
  });
  loaded.set(path, loading);
  return loading;
}

async function openSearch(): Promise<void> {
  await load("/docs/search.js");
  document.dispatchEvent(new Event("cardkeep:search"));
}

async function openRun(example: HTMLElement): Promise<void> {
  await load("/docs/run.js");
  example.dispatchEvent(new Event("cardkeep:run", { bubbles: true }));
}

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element)) return;
  const button = target.closest<HTMLElement>("button");
  if (button?.matches("[data-copies]")) void copy(button);
  if (button?.matches("[data-search]")) void openSearch();
  const example = button?.matches("[data-runs]") ? button.closest<HTMLElement>("[data-call]") : null;
  if (example) void openRun(example);
  // On a phone the contents cover the page.
  const contents = target.closest<HTMLElement>("#contents:popover-open");
  if (contents && target.closest("a")) contents.hidePopover();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target !== document.body) return;
  event.preventDefault();
  void openSearch();
});

/** Marks the link of the part of the page that is read now, and scrolls the contents to it. */
function markCurrent(link: HTMLAnchorElement): void {
  document.querySelector("#contents .parts [aria-current]")?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  const { top, bottom } = link.getBoundingClientRect();
  if (top < 60 || bottom > innerHeight) link.scrollIntoView({ block: "center" });
}

const parts = new Map(
  [...document.querySelectorAll<HTMLAnchorElement>("#contents .parts a")].map((link) => [link.hash.slice(1), link]),
);
const observer = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      const link = parts.get(target.id);
      if (link && isIntersecting) markCurrent(link);
    }
  },
  { rootMargin: "-10% 0px -80% 0px" },
);
for (const id of parts.keys()) {
  const part = document.getElementById(id);
  if (part) observer.observe(part);
}
