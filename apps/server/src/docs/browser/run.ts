/** Runs a route against this server, as a person of the sandbox or with a pasted token. Loaded when it is first used. */
import { buildSamples } from "../samples/buildSamples.ts";
import { type Call, fillPath } from "../samples/call.ts";
import { splitTokens } from "../samples/tokens.ts";
import { makeCallerLine } from "./callerLine.ts";
import { makeCallForm } from "./callForm.ts";
import { make } from "./elements.ts";
import { findIds, type IdSources } from "./findIds.ts";
import { readCaller } from "./person.ts";

/** What a reader needs of the headers. */
const shownHeaders = ["X-Error-Code", "X-Request-Id", "Retry-After", "Deprecation", "Idempotent-Replayed"];

const colour = (code: string, language: string): Node[] =>
  splitTokens(code, language).map(({ text, tone }) =>
    tone === null ? document.createTextNode(text) : make("i", { class: tone }, text),
  );

/** Shows the samples of the present input in the tabs. */
function updateSamples(example: HTMLElement, call: Call): void {
  for (const { language, code } of buildSamples(call))
    example.querySelector(`.samples [data-language=${language}] pre`)?.replaceChildren(...colour(code, language));
}

async function send(call: Call): Promise<{ response: Response; text: string; ms: number }> {
  const caller = call.tokenName === null ? null : readCaller(call.tokenName);
  const began = performance.now();
  const response = await fetch(fillPath(call), {
    method: call.method,
    headers: {
      ...(caller && { Authorization: `Bearer ${caller.token}` }),
      ...(call.body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  });
  const text = await response.text();
  return { response, text, ms: Math.round(performance.now() - began) };
}

/** A text of JSON on several lines; any other text as it is. */
function tidy(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function renderAnswer({ response, text, ms }: Awaited<ReturnType<typeof send>>): Node[] {
  const { status, headers } = response;
  const line = make("p", { class: "line" });
  line.append(make("span", { class: `status s${Math.floor(status / 100)}` }, String(status)), ` ${ms} ms`);
  const rows = shownHeaders.flatMap((name) => {
    const value = headers.get(name);
    if (value === null) return [];
    const shown = name === "X-Error-Code" ? make("a", { href: `/docs/errors#error-${value}` }, value) : value;
    return [make("dt", {}, name), make("dd", {}, shown)];
  });
  return [line, make("dl", {}, ...rows), make("pre", { tabindex: "0" }, ...colour(tidy(text), "json"))];
}

function openForm(example: HTMLElement): void {
  if (example.querySelector("form")) return example.querySelector<HTMLElement>("form")?.focus();
  const given = JSON.parse(example.dataset["call"] ?? "{}") as Call;
  const sources = JSON.parse(example.dataset["sources"] ?? "{}") as IdSources;
  const note = make("p", { class: "note", role: "alert" });
  const result = make("div", { class: "result", role: "status" });
  const update = (): Call | null => {
    try {
      const call = form.read();
      note.textContent = "";
      updateSamples(example, call);
      return call;
    } catch (error) {
      note.textContent = `The body is no JSON: ${String(Object(error).message)}`;
      return null;
    }
  };
  const form = makeCallForm(given, update);
  const run = async (): Promise<void> => {
    const call = update();
    if (!call) return;
    result.replaceChildren("…");
    try {
      result.replaceChildren(...renderAnswer(await send(call)));
    } catch {
      result.replaceChildren("The server does not answer.");
    }
  };
  const fillIds = async (): Promise<void> => {
    const caller = given.tokenName === null ? null : readCaller(given.tokenName);
    if (caller) for (const [name, id] of await findIds(sources, caller.token)) form.fill(name, id);
  };
  const element = make("form", { class: "panel run", tabindex: "-1", "aria-label": `Run ${given.name}` });
  if (given.tokenName !== null) element.append(makeCallerLine(given.tokenName));
  element.append(form.element, note, make("button", { class: "go" }, "Run"), result);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  document.addEventListener("cardkeep:caller", () => void fillIds());
  void fillIds();
  example.querySelector(".samples")?.after(element);
  element.focus();
}

document.addEventListener("cardkeep:run", ({ target }) => {
  if (target instanceof HTMLElement) openForm(target);
});
