/** Accessibility faults of a page in a browser, found by axe-core. */
import { readFile } from "node:fs/promises";
import type { Browser } from "./browser.ts";

/** WCAG 2.2 AA, among it targets of 24 px, and what axe-core recommends besides. */
const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Pages are read on a desk and on a phone, in light and in dark. After the first look, only what the next may change is asked. */
export const looks = [
  { width: 1280, height: 900, scheme: "light", only: { type: "tag", values: standards } },
  {
    width: 1280,
    height: 900,
    scheme: "dark",
    only: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
  },
  {
    width: 390,
    height: 844,
    scheme: "light",
    only: {
      type: "rule",
      values: ["target-size", "scrollable-region-focusable", "region", "button-name", "link-name", "label"],
    },
  },
] as const;

/**
 * Leaves the first entries of each long list: others that are built alike take axe-core as long each, and show it nothing.
 * Entries are alike if the same kinds of elements are in them, by tag and class.
 */
const removeRepeated = `for (const parent of document.querySelectorAll("main, main :not(select, svg, svg *)")) {
  const counts = {};
  const nameOf = (element) => element.tagName + "." + (element.getAttribute("class") ?? "");
  for (const child of [...parent.children]) {
    const within = new Set([...child.querySelectorAll(":not(svg *)")].map(nameOf));
    const kind = [nameOf(child), ...[...within].sort()].join(" ");
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (counts[kind] > 3) child.remove();
  }
}`;

/** Shortens the lists of the open page to entries that differ for axe-core. */
export const shortenLists = async (browser: Browser): Promise<void> => void (await browser.run(removeRepeated));

let script: Promise<string> | null = null;
const readScript = (): Promise<string> =>
  (script ??= readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8"));

/** Each fault of the open page in one look as a line: the rule, and the element that breaks it. */
export async function findAxeFaults(browser: Browser, { only, ...look }: (typeof looks)[number]): Promise<string[]> {
  await browser.emulate(look);
  if ((await browser.run("typeof axe")) === "undefined") await browser.runInEach(await readScript());
  const found = await browser.run(`axe.run({ runOnly: ${JSON.stringify(only)}, resultTypes: ["violations"] }).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
      id + ": " + html.slice(0, 200) + " " + [...any, ...all, ...none].map(({ message }) => message).join("; "))))`);
  return Array.isArray(found) ? found.map(String) : [`axe-core did not run: ${String(found)}`];
}
