/** What the page gains with a script: a filter, copying, and the place in the contents that is being read. */
export const script = `
document.documentElement.classList.add("js");
const search = document.querySelector("#filter");
const entries = [...document.querySelectorAll(".entry")].map((entry) => ({
  entry,
  text: entry.textContent.toLowerCase(),
  links: document.querySelectorAll("nav a[href='#" + CSS.escape(entry.id).replaceAll("\\\\", "\\\\\\\\") + "'], nav a[href='#" + entry.id + "']"),
}));
const groups = [...document.querySelectorAll("main > section, nav ul")];
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const { entry, text, links } of entries) {
    const isHidden = !words.every((word) => text.includes(word));
    entry.hidden = isHidden;
    for (const link of links) link.parentElement.hidden = isHidden;
  }
  const isFiltering = words.length > 0;
  for (const group of groups) {
    const own = [...group.querySelectorAll(group.matches("ul") ? "li" : ".entry")];
    const isEmpty = isFiltering && own.every((item) => item.hidden);
    group.hidden = isEmpty;
    if (group.matches("ul")) group.previousElementSibling.hidden = isEmpty;
  }
  document.querySelector("#nothing").hidden = !isFiltering || entries.some(({ entry }) => !entry.hidden);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && event.target === document.body) { event.preventDefault(); search.focus(); }
  if (event.key === "Escape" && event.target === search) { search.value = ""; search.dispatchEvent(new Event("input")); search.blur(); }
});
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", async () => {
  await navigator.clipboard.writeText(button.dataset.copy);
  const text = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = text; }, 1200);
});
const seen = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) {
    const link = entries.find(({ entry }) => entry === target)?.links[0];
    if (!link || !isIntersecting) continue;
    document.querySelector("nav a[aria-current]")?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    const { top, bottom } = link.getBoundingClientRect();
    if (top < 60 || bottom > innerHeight) link.scrollIntoView({ block: "center" });
  }
}, { rootMargin: "-10% 0px -80% 0px" });
for (const { entry } of entries) seen.observe(entry);
`;
