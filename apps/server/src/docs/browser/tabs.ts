/** Tabs of samples: the chosen language holds on all pages. */

const storageKey = "cardkeep.docs.language";

function readLanguage(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    // Browsers may refuse storage; the choice then holds for the page.
    return null;
  }
}

function writeLanguage(language: string): void {
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // As in readLanguage.
  }
}

const tabsOf = (group: Element): HTMLElement[] => [...group.querySelectorAll<HTMLElement>("[role=tab]")];

/** Shows one panel of a group; nothing changes in a group without the language. */
function select(group: Element, language: string): void {
  const tabs = tabsOf(group);
  if (!tabs.some((tab) => tab.dataset["language"] === language)) return;
  for (const tab of tabs) {
    const isChosen = tab.dataset["language"] === language;
    tab.ariaSelected = String(isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls") ?? "")?.toggleAttribute("hidden", !isChosen);
  }
}

/** Shows the language everywhere. The tab that was used stays where it is on the screen. */
function choose(tab: HTMLElement): void {
  const language = tab.dataset["language"] ?? "";
  const before = tab.getBoundingClientRect().top;
  for (const group of document.querySelectorAll("[data-tabs]")) select(group, language);
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
  writeLanguage(language);
}

/** How far a key moves, by the pattern of tabs in the ARIA Authoring Practices. */
const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

function move(event: KeyboardEvent, list: Element): void {
  const tabs = tabsOf(list);
  const at = tabs.findIndex((tab) => tab === event.target);
  const next = at < 0 ? undefined : tabs[steps[event.key]?.(at, tabs.length) ?? -1];
  if (!next) return;
  event.preventDefault();
  next.focus();
  choose(next);
}

function makeTab(panel: HTMLElement, id: string): HTMLElement {
  const tab = document.createElement("button");
  tab.type = "button";
  tab.id = `${id}-tab`;
  tab.role = "tab";
  tab.textContent = panel.querySelector(".caption span")?.textContent ?? "";
  tab.dataset["language"] = panel.dataset["language"] ?? "";
  tab.setAttribute("aria-controls", id);
  tab.addEventListener("click", () => choose(tab));
  panel.id = id;
  panel.role = "tabpanel";
  panel.setAttribute("aria-labelledby", tab.id);
  return tab;
}

/** Puts a row of tabs before each group of samples. */
export function makeTabs(): void {
  const language = readLanguage();
  for (const [number, group] of document.querySelectorAll<HTMLElement>("[data-tabs]").entries()) {
    const panels = [...group.querySelectorAll<HTMLElement>(":scope > .panel")];
    const list = document.createElement("div");
    list.role = "tablist";
    list.ariaLabel = "Language";
    list.append(...panels.map((panel, index) => makeTab(panel, `sample-${number}-${index}`)));
    list.addEventListener("keydown", (event) => move(event, list));
    group.prepend(list);
    group.classList.add("tabbed");
    select(group, panels[0]?.dataset["language"] ?? "");
    if (language !== null) select(group, language);
  }
}
