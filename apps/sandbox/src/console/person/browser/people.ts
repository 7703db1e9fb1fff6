/** The row of people whose keys this browser keeps: choose, add, import, export, forget. */
import { build } from "./build.ts";
import { forgetPerson, type KeptPerson, keepPerson, listKept } from "./keys.ts";

const hrefOf = (address: string): string => `/?desk=person&wallet=${address}`;

const go = (address: string): void => location.assign(hrefOf(address));

function renderImport(): HTMLElement {
  const input = build("input", { name: "key", required: true, autocomplete: "off", placeholder: "0x…" });
  input.setAttribute("aria-label", "Private key");
  const output = build("output");
  const form = build("form", {}, [
    build("div", { className: "row" }, [input, build("button", { textContent: "Import", className: "plain" })]),
    output,
  ]);
  form.setAttribute("aria-label", "Import a key");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      go(keepPerson(input.value).address);
    } catch (error) {
      output.className = "bad";
      output.textContent = error instanceof Error ? error.message : String(error);
    }
  });
  return build("details", {}, [build("summary", { textContent: "Import a key" }), form]);
}

function renderOwnKey({ privateKey, address, name }: KeptPerson): HTMLElement {
  const copy = build("button", { type: "button", className: "plain", textContent: "Copy the private key" });
  copy.dataset["copy"] = privateKey;
  const forget = build("button", { type: "button", className: "plain", textContent: `Forget ${name}` });
  forget.addEventListener("click", () => {
    if (!confirm(`Forget the key of ${name}? Without a copy it cannot be restored.`)) return;
    forgetPerson(address);
    location.assign("/?desk=person");
  });
  return build("details", {}, [
    build("summary", { textContent: "Key" }),
    build("div", { className: "row" }, [copy, forget]),
  ]);
}

/** Renders the row. `current` is the person of the page; null without a key, though the page may name a wallet. */
export function renderKeys({ current, isNamed }: { current: KeptPerson | null; isNamed: boolean }): void {
  const place = document.querySelector("#keys");
  const state = JSON.stringify([listKept().map(({ address }) => address), current?.address]);
  if (!(place instanceof HTMLElement) || place.dataset["shown"] === state) return;
  place.dataset["shown"] = state;
  const chips = listKept().map(({ address, name }) => {
    const chip = build("a", { className: "chip", href: hrefOf(address), textContent: name, title: address });
    if (address === current?.address) chip.setAttribute("aria-current", "true");
    return chip;
  });
  const add = build("button", { type: "button", textContent: "New person" });
  if (current) add.className = "plain";
  add.addEventListener("click", () => go(keepPerson().address));
  const hint = build("p", {
    className: "hint",
    textContent: "This browser does not keep the key of this person. Import it to go on.",
  });
  place.replaceChildren(
    build("div", { className: "keys" }, [
      ...chips,
      add,
      ...(current ? [renderOwnKey(current)] : []),
      renderImport(),
      ...(isNamed && !current ? [hint] : []),
    ]),
  );
}
