/** Shows the requests of a step: each as curl and TypeScript, with its answer, to copy. */
import { build } from "./build.ts";
import type { Exchange } from "./service.ts";

const tokenPattern = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const shownOfToken = 12;

/** Access tokens are long; a copy has the whole one. */
const shorten = (text: string): string => text.replaceAll(tokenPattern, (token) => `${token.slice(0, shownOfToken)}…`);

const okMax = 299;
let count = 0;

/** One exchange, folded. */
export function renderExchange({ method, path, status, curl, typescript, answer }: Exchange): HTMLElement {
  const id = `exchange-${++count}`;
  const views = [
    ...(curl === null ? [] : [{ name: "curl", text: curl }]),
    { name: "TypeScript", text: typescript },
    { name: status === null ? "Signature" : "Answer", text: answer },
  ];
  const pre = build("pre", { id, tabIndex: 0 });
  const copies = build("button", { type: "button", className: "copies", textContent: "Copy" });
  const tabs = views.map(({ name, text }) => {
    const tab = build("button", { type: "button", textContent: name });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", id);
    tab.addEventListener("click", () => choose(name, text));
    return tab;
  });
  const choose = (name: string, text: string): void => {
    for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.textContent === name));
    pre.textContent = shorten(text);
    copies.dataset["copy"] = text;
  };
  const [first] = views;
  if (first) choose(first.name, first.text);
  const list = build("div", { className: "list" }, tabs);
  list.setAttribute("role", "tablist");
  pre.setAttribute("role", "tabpanel");
  const badge =
    status === null
      ? build("span", { className: "status note", textContent: "signed" })
      : build("span", { className: `status ${status <= okMax ? "good" : "bad"}`, textContent: String(status) });
  const summary = build("summary", {}, [
    build("span", { className: `method ${method.toLowerCase()}`, textContent: method }),
    build("code", { textContent: path.length > pathMax ? `${path.slice(0, pathMax)}…` : path }),
    badge,
  ]);
  return build("details", { className: "exchange" }, [
    summary,
    build("div", { className: "tabs" }, [list, copies]),
    pre,
  ]);
}

const pathMax = 90;
