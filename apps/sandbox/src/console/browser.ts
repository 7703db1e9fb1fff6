/**
 * The console's script: it updates pages, sends forms to the sandbox's routes and copies values.
 *
 * An update keeps typed text, open sections and shown results.
 */
import { Idiomorph } from "idiomorph";
import {
  type Answer,
  call,
  fillPath,
  isBusy,
  readFields,
  showAnswer,
  showMessage,
  shownMs,
  whileBusy,
  withQuery,
} from "./browser/forms.ts";

const updateEveryMs = 1_000;

/** Controls whose value a person changed. */
const touched = new WeakSet<Node>();

/** Whether an update leaves a node alone: results, and what a script of the page fills. */
const isKept = (node: Node): boolean =>
  touched.has(node) ||
  node instanceof HTMLOutputElement ||
  (node instanceof HTMLElement && node.dataset["kept"] !== undefined);

const callbacks = {
  beforeNodeMorphed: (node: Node) => !isKept(node),
  beforeAttributeUpdated: (name: string, node: Element) =>
    name !== "aria-busy" && !(name === "open" && node instanceof HTMLDetailsElement),
};

const notFound = 404;

/** A desk may show what an access token stands for; its script sets the token. */
function authorize(): Record<string, string> {
  const { token } = document.documentElement.dataset;
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

async function update(): Promise<void> {
  const response = await fetch(location.href, { headers: authorize() });
  // The page of an unknown person or desk is a page too.
  if (!response.ok && response.status !== notFound) throw new Error(await response.text());
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  await Idiomorph.morph(document.body, next.body, { ignoreActiveValue: true, callbacks });
  dispatchEvent(new Event("cardkeep:updated"));
}

const showLost = (isLost: boolean) => document.querySelector("#lost")?.toggleAttribute("hidden", !isLost);

async function updateAgain(): Promise<void> {
  if (!document.hidden) await update().catch(() => showLost(true));
  setTimeout(() => void updateAgain(), updateEveryMs);
}

/** Forms whose fields changed since they were sent. */
const changed = new WeakSet<HTMLFormElement>();

/** An answer is about the fields as they were sent, so it goes when one of them changes. */
function forgetAnswer(form: HTMLFormElement): void {
  changed.add(form);
  const output = form.querySelector("output");
  if (output) output.value = "";
}

async function submit(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const { method = "POST", page, keeps } = form.dataset;
  const fields = readFields(form, submitter);
  const path = fillPath(submitter?.dataset["path"] ?? form.dataset["path"] ?? "", fields);
  if (page !== undefined) return void open(withQuery(path, fields), "_blank", "noopener");
  changed.delete(form);
  const response = await call(method, path, fields);
  const answer = (await response.json()) as Answer;
  if (changed.has(form)) return;
  if (response.ok && keeps === undefined) {
    for (const control of form.elements) touched.delete(control);
    form.reset();
  }
  showAnswer(form, response, answer);
}

document.addEventListener("input", ({ target }) => {
  touched.add(target as Node);
  const form = target instanceof Element ? target.closest<HTMLFormElement>("form[data-path]") : null;
  if (form) forgetAnswer(form);
});

document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement && target.dataset["submits"] !== undefined) target.form?.requestSubmit();
});

document.addEventListener("submit", (event) => {
  const form = event.target as HTMLFormElement;
  if (form.dataset["path"] === undefined) return;
  event.preventDefault();
  if (isBusy(form)) return;
  showMessage(form, "…", "plain");
  void whileBusy(form, () => submit(form, event.submitter))
    .catch((error: unknown) => showMessage(form, error instanceof Error ? error.message : String(error), "bad"))
    .then(update)
    .catch(() => showLost(true));
});

addEventListener("cardkeep:update", () => void update().catch(() => showLost(true)));

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
  if (button) void copy(button);
});

/** Shows by a class for a moment whether the browser allowed it. */
async function copy(button: HTMLElement): Promise<void> {
  const result = await navigator.clipboard.writeText(button.dataset["copy"] ?? "").then(
    () => "copied",
    () => "refused",
  );
  button.classList.add(result);
  setTimeout(() => button.classList.remove(result), shownMs / 4);
}

// On a narrow screen the list of desks scrolls, and the current desk may be out of sight.
document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
void updateAgain();
