/** Reads the console's forms, sends them to the sandbox's routes and shows the answers. Runs in the browser. */
import ms from "ms";

/** How long a message of success is shown. */
export const shownMs = 5_000;

const centsPerUnit = 100;

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
  cents: (text) => Math.round(Number(text) * centsPerUnit),
  units: (text, control) => toBaseUnits(text, decimalsBeside(control)),
  words: split,
  numbers: (text) => split(text).map(Number),
  // Every time is in UTC, also where the browser would read its own zone.
  instant: (text) => new Date(`${text}Z`).toISOString(),
  json: (text) => JSON.parse(text),
  tick: (_, control) => control instanceof HTMLInputElement && control.checked,
};

/** The fields of a form; `a.b` is field `b` of `a`. Empty controls are left out. */
export function readFields(form: HTMLFormElement, submitter: HTMLElement | null): Record<string, unknown> {
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
export const fillPath = (path: string, fields: Record<string, unknown>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields[name];
    delete fields[name];
    return encodeURIComponent(String(value ?? ""));
  });

/** An address with the fields as its query. */
export const withQuery = (path: string, fields: Record<string, unknown>): string =>
  `${path}?${new URLSearchParams(fields as Record<string, string>)}`;

/** Whether the answer of a form is awaited. */
export const isBusy = (form: HTMLFormElement): boolean => form.ariaBusy === "true";

/** Runs a form's request. Until its end the form sends no other one, and its buttons show that. */
export async function whileBusy(form: HTMLFormElement, run: () => Promise<void>): Promise<void> {
  form.ariaBusy = "true";
  try {
    await run();
  } finally {
    form.ariaBusy = null;
  }
}

/** Sends fields to a route. */
export async function call(method: string, path: string, fields: Record<string, unknown>): Promise<Response> {
  if (method === "GET") return fetch(withQuery(path, fields));
  const headers = { "Content-Type": "application/json" };
  return fetch(path, { method, headers, body: JSON.stringify(fields) });
}

/** The answer of a route, with the fields that forms show. */
export interface Answer {
  [name: string]: unknown;
  error?: string;
  approved?: boolean;
  code?: string;
  happened?: string;
  user?: string;
}

/** Shows a text below a form. */
export function showMessage(form: HTMLFormElement, text: string, tone: "good" | "bad" | "plain"): void {
  const output = form.querySelector("output");
  if (!output) return;
  output.value = text;
  output.className = tone;
  if (form.dataset["done"] === undefined || tone === "bad") return;
  setTimeout(() => {
    if (output.value === text) output.value = "";
  }, shownMs);
}

/** Shows the answer of a route below a form. */
export function showAnswer(form: HTMLFormElement, { status, ok }: Response, answer: Answer): void {
  const { done } = form.dataset;
  if (!ok && answer.error !== undefined) return showMessage(form, answer.error, "bad");
  if (done !== undefined)
    return showMessage(
      form,
      done.replaceAll(/\{(\w+)(:cents)?\}/g, (_, name, isCents) =>
        isCents ? (Number(answer[name]) / centsPerUnit).toFixed(2) : String(answer[name]),
      ),
      "good",
    );
  if (answer.approved === true) return showMessage(form, "Approved", "good");
  if (answer.approved === false)
    return showMessage(form, `Declined: ${answer.code}. ${answer.happened}\nThe user reads: ${answer.user}`, "bad");
  showMessage(form, `${status}\n${JSON.stringify(answer, null, 2)}`, "plain");
}
