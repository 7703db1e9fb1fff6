/** Accessibility faults of a page in a browser, found by axe-core. */
import { readFile } from "node:fs/promises";
import type { Browser } from "./browser.ts";

/** WCAG 2.2 AA, among it targets of 24 px, and what axe-core recommends besides. */
const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** What may differ between light and dark. */
const colours = ["color-contrast", "link-in-text-block"];

/** Pages are read on a desk and on a phone. */
export const looks = [
  { width: 1280, height: 900, scheme: "light" },
  { width: 1280, height: 900, scheme: "dark" },
  { width: 390, height: 844, scheme: "light" },
] as const;

let script: Promise<string> | null = null;
const readScript = (): Promise<string> =>
  (script ??= readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8"));

/** Each fault of the open page in one look as a line: the rule, and the element that breaks it. */
export async function findAxeFaults(browser: Browser, look: (typeof looks)[number]): Promise<string[]> {
  await browser.emulate(look);
  await browser.run(await readScript());
  const only = look.scheme === "light" ? { type: "tag", values: standards } : { type: "rule", values: colours };
  const found = await browser.run(`axe.run({ runOnly: ${JSON.stringify(only)}, resultTypes: ["violations"] }).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
      id + ": " + html.slice(0, 200) + " " + [...any, ...all, ...none].map(({ message }) => message).join("; "))))`);
  return Array.isArray(found) ? found.map(String) : [`axe-core did not run: ${String(found)}`];
}
