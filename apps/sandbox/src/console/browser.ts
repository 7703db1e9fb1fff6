/**
 * The console's script: it updates pages, sends forms to the sandbox's routes and copies values.
 *
 * An update keeps typed text, open sections and shown results.
 */
import { Idiomorph } from "idiomorph";
import ms from "ms";

const updateEveryMs = 1_000;
const shownMs = 5_000;

/** Controls whose value a person changed. */
const touched = new WeakSet<Node>();

const callbacks = {
  beforeNodeMorphed: (node: Node) => !touched.has(node) && !(node instanceof HTMLOutputElement),
  beforeAttributeUpdated: (name: string, node: Element) => !(name === "open" && node instanceof HTMLDetailsElement),
};

const notFound = 404;

async function update(): Promise<void> {
  const response = await fetch(location.href);
  // The page of an unknown person or desk is a page too.
  if (!response.ok && response.status !== notFound) throw new Error(await response.text());
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  Idiomorph.morph(document.body, next.body, { ignoreActiveValue: true, callbacks });
}

const showLost = (isLost: boolean) => document.querySelector("#lost")?.toggleAttribute("hidden", !isLost);

async function updateAgain(): Promise<void> {
  if (!document.hidden) await update().catch(() => showLost(true));
  setTimeout(() => void updateAgain(), updateEveryMs);
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement;

const split = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Whole units as base units: `1.5` with six decimals is `1500000`. */
function toBaseUnits(text: string, decimals: number): string {
  const [whole = "", fraction = ""] = text.split(".");
  if (fraction.length > decimals) throw new Error(`At most ${decimals} decimals`);
  return BigInt(whole + fraction.padEnd(decimals, "0")).toString();
}

/** `90`, `45 s`, `2.5 h` or `10 days` as whole seconds. */
function toSeconds(text: string): number {
  const millis = /^[\d.]+$/.test(text) ? Number(text) * 1000 : ms(text as ms.StringValue);
  if (!(millis >= 1)) throw new Error(`“${text}” is not a span of time. Write 45 s, 3 min, 2.5 h or 10 days.`);
  return Math.ceil(millis / 1000);
}

const decimalsBeside = ({ form }: Control): number =>
  Number(form?.querySelector<HTMLOptionElement>("option[data-decimals]:checked")?.dataset["decimals"]);

/** Converts the text of a control to the type that its route takes. */
const readers: Readonly<Record<string, (text: string, control: Control) => unknown>> = {
  number: Number,
  duration: toSeconds,
  cents: (text) => Math.round(Number(text) * 100),
  units: (text, control) => toBaseUnits(text, decimalsBeside(control)),
  words: split,
  numbers: (text) => split(text).map(Number),
  // Every time is in UTC, also where the browser would read its own zone.
  instant: (text) => new Date(`${text}Z`).toISOString(),
  json: (text) => JSON.parse(text),
};

/** The fields of a form; `a.b` is field `b` of `a`. Empty controls are left out. */
function readFields(form: HTMLFormElement, submitter: HTMLElement | null): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const element of form.elements) {
    const control = element as Control;
    const isFilled = control instanceof HTMLButtonElement ? control === submitter : control.value?.trim() !== "";
    if (!control.name || !isFilled) continue;
    const read = readers[control.dataset["kind"] ?? control.type] ?? ((text: string) => text);
    const [name = "", inner] = control.name.split(".");
    const value = read(control.value, control);
    fields[name] = inner === undefined ? value : { ...(fields[name] as object | undefined), [inner]: value };
  }
  return fields;
}

/** Fills `{name}` in the path from the fields and removes those fields. */
const fillPath = (path: string, fields: Record<string, unknown>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields[name];
    delete fields[name];
    return encodeURIComponent(String(value ?? ""));
  });

async function call(method: string, path: string, fields: Record<string, unknown>): Promise<Response> {
  if (method === "GET") return fetch(`${path}?${new URLSearchParams(fields as Record<string, string>)}`);
  const headers = { "Content-Type": "application/json" };
  return fetch(path, { method, headers, body: JSON.stringify(fields) });
}

interface Answer {
  [name: string]: unknown;
  error?: string;
  approved?: boolean;
  code?: string;
  happened?: string;
  user?: string;
}

function showMessage(form: HTMLFormElement, text: string, tone: "good" | "bad" | "plain"): void {
  const output = form.querySelector("output");
  if (!output) return;
  output.value = text;
  output.className = tone;
  if (form.dataset["done"] === undefined || tone === "bad") return;
  setTimeout(() => {
    if (output.value === text) output.value = "";
  }, shownMs);
}

function showAnswer(form: HTMLFormElement, { status, ok }: Response, answer: Answer): void {
  const { done } = form.dataset;
  if (!ok && answer.error !== undefined) return showMessage(form, answer.error, "bad");
  if (done !== undefined)
    return showMessage(
      form,
      done.replaceAll(/\{(\w+)\}/g, (_, name) => String(answer[name])),
      "good",
    );
  if (answer.approved === true) return showMessage(form, "Approved", "good");
  if (answer.approved === false)
    return showMessage(form, `Declined: ${answer.code}. ${answer.happened}\nThe user reads: ${answer.user}`, "bad");
  showMessage(form, `${status}\n${JSON.stringify(answer, null, 2)}`, "plain");
}

async function submit(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const { method = "POST", page, keeps } = form.dataset;
  const fields = readFields(form, submitter);
  const path = fillPath(submitter?.dataset["path"] ?? form.dataset["path"] ?? "", fields);
  if (page !== undefined) return void open(path, "_blank", "noopener");
  const response = await call(method, path, fields);
  const answer = (await response.json()) as Answer;
  if (response.ok && keeps === undefined) {
    for (const control of form.elements) touched.delete(control);
    form.reset();
  }
  showAnswer(form, response, answer);
}

document.addEventListener("input", ({ target }) => void touched.add(target as Node));

document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement && target.dataset["submits"] !== undefined) target.form?.requestSubmit();
});

const busy = new WeakSet<HTMLFormElement>();

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (form.dataset["path"] === undefined) return;
  event.preventDefault();
  if (busy.has(form)) return;
  busy.add(form);
  showMessage(form, "…", "plain");
  submit(form, event.submitter)
    .catch((error: unknown) => showMessage(form, error instanceof Error ? error.message : String(error), "bad"))
    .finally(() => {
      busy.delete(form);
      return update().catch(() => showLost(true));
    });
});

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset["copy"] ?? "");
  button.classList.add("copied");
  setTimeout(() => button.classList.remove("copied"), shownMs / 4);
});

// On a narrow screen the list of desks scrolls, and the current desk may be out of sight.
document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
void updateAgain();
