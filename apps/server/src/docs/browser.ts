/** The script of the reference page: a filter, copying, and a mark at the current entry of the contents. */

const copiedMs = 1_200;

document.documentElement.classList.add("js");

const linksById = Map.groupBy(document.querySelectorAll<HTMLAnchorElement>("nav a"), ({ hash }) => hash.slice(1));

const entries = [...document.querySelectorAll<HTMLElement>(".entry")].map((element) => ({
  element,
  text: element.textContent.toLowerCase(),
  links: linksById.get(element.id) ?? [],
}));

/** Each group with the entries whose absence hides it, and its title. */
const groups = [
  ...[...document.querySelectorAll<HTMLElement>("main > section")].map((element) => ({
    parts: [element],
    items: [...element.querySelectorAll<HTMLElement>(".entry")],
  })),
  ...[...document.querySelectorAll<HTMLElement>("nav ul")].map((element) => ({
    parts: [element, element.previousElementSibling],
    items: [...element.querySelectorAll<HTMLElement>("li")],
  })),
];

/** Shows the entries that contain every word of the text, and the groups that contain such entries. */
function filter(text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { element, text: content, links } of entries) {
    const isHidden = !words.every((word) => content.includes(word));
    for (const part of [element, ...links.map((link) => link.parentElement)]) part?.toggleAttribute("hidden", isHidden);
  }
  for (const { parts, items } of groups) {
    const isHidden = words.length > 0 && items.every(({ hidden }) => hidden);
    for (const part of parts) part?.toggleAttribute("hidden", isHidden);
  }
  const hasFound = words.length === 0 || entries.some(({ element }) => !element.hidden);
  document.querySelector("#nothing")?.toggleAttribute("hidden", hasFound);
}

const search = document.querySelector<HTMLInputElement>("#filter");
search?.addEventListener("input", () => filter(search.value));

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target === document.body) {
    event.preventDefault();
    search?.focus();
  }
  if (event.key === "Escape" && search !== null && event.target === search) {
    search.value = "";
    filter("");
    search.blur();
  }
});

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset["copy"] ?? "");
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = label;
    }, copiedMs);
  });
}

/** Marks the link of the current entry, and scrolls the contents to it. */
function markCurrent(link: HTMLAnchorElement): void {
  document.querySelector("nav a[aria-current]")?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  const { top, bottom } = link.getBoundingClientRect();
  if (top < 60 || bottom > innerHeight) link.scrollIntoView({ block: "center" });
}

const observer = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      const [link] = linksById.get(target.id) ?? [];
      if (link && isIntersecting) markCurrent(link);
    }
  },
  { rootMargin: "-10% 0px -80% 0px" },
);
for (const { element } of entries) observer.observe(element);
