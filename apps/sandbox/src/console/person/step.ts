/**
 * What all steps of the Person desk share.
 *
 * - step: one thing that a person does at the service, with its form.
 * - progress: how far the person is with one step.
 */
import { type Html, markup, type Part, prose } from "@cardkeep/html/markup";
import type { PersonState } from "./personState.ts";

export type StepId =
  | "signIn"
  | "signUp"
  | "terms"
  | "identity"
  | "funds"
  | "phone"
  | "safe"
  | "money"
  | "card"
  | "pay"
  | "element"
  | "dispute"
  | "iban"
  | "transfer"
  | "statements"
  | "tokens"
  | "withdraw"
  | "limit"
  | "owners"
  | "wallets"
  | "partner";

export interface Progress {
  readonly state: "done" | "open" | "waiting" | "failed";
  /** What came of it, in a few words. */
  readonly note?: string;
}

export interface Step {
  readonly id: StepId;
  readonly title: string;
  /** What it does, in a sentence or two, with `code` between backticks. */
  readonly summary: string;
  /** The steps that must be done before it. */
  readonly after: readonly StepId[];
  /** The way goes on without it. */
  readonly isOptional?: true;
  read(person: PersonState): Progress;
  /** The forms; they are shown once the steps before it are done. */
  render(person: PersonState): Html | Promise<Html>;
}

export const done = (note?: string): Progress => ({ state: "done", ...(note !== undefined && { note }) });
export const open: Progress = { state: "open" };

/** A form whose action the page's script carries out with the person's key. */
export const renderCommand = (command: string, label: string, content: Part): Html =>
  markup`<form data-command="${command}" aria-label="${label}">${content}</form>`;

/** A button below a form's fields. */
export const renderButton = (text: string, kind: "main" | "plain" = "main"): Html =>
  markup`<div class="row"><button class="${kind}">${text}</button></div>`;

/** How a step is shown: as its progress says, or `now` for the next one, or `later` until another is done. */
export interface Shown {
  readonly step: Step;
  readonly state: Progress["state"] | "now" | "later";
  readonly note: string;
}

const stateTexts: Readonly<Record<Shown["state"], string>> = {
  done: "Done",
  now: "Now",
  open: "Possible",
  waiting: "Under way",
  failed: "Failed",
  later: "Later",
};

/** How each step of the table is shown to a person. */
export function arrange(table: readonly Step[], person: PersonState): Shown[] {
  const progress = new Map(table.map((step) => [step.id, step.read(person)]));
  const isDone = (id: StepId) => progress.get(id)?.state === "done";
  const titleOf = (id: StepId) => table.find((step) => step.id === id)?.title ?? id;
  let hasNow = false;
  return table.map((step) => {
    const { state, note } = progress.get(step.id) ?? open;
    const missing =
      state === "open" ? ["signIn" as const, ...step.after].find((id) => id !== step.id && !isDone(id)) : undefined;
    if (missing !== undefined) return { step, state: "later", note: `First: ${titleOf(missing)}` };
    const isNow = !hasNow && state !== "done" && step.isOptional !== true;
    hasNow ||= isNow;
    return { step, state: isNow && state === "open" ? "now" : state, note: note ?? "" };
  });
}

/** One step of the rail, with its forms. The page's script fills the trace with the requests that were made. */
export async function renderStep({ step, state, note }: Shown, { person, isOpen, next }: Place): Promise<Html> {
  return markup`<li class="step ${state}" id="step-${step.id}">
    <details name="step" ${isOpen && "open"}>
      <summary>
        <span class="mark" aria-hidden="true"></span>
        <span class="title">${step.title}</span>
        <span class="outcome">${note !== "" && markup`<span class="cut">${note}</span>`} <span class="state">${stateTexts[state]}</span></span>
      </summary>
      <div class="inside">
        <p class="explains">${prose(step.summary)}</p>
        ${state === "later" ? markup`<p class="muted">${note}.</p>` : await step.render(person)}
        <output id="said-${step.id}"></output>
        <div class="trace" id="trace-${step.id}" data-kept></div>
        ${state === "done" && next !== null && markup`<p class="next"><a class="button" href="#step-${next.id}">Next: ${next.title}</a></p>`}
      </div>
    </details>
  </li>`;
}

interface Place {
  readonly person: PersonState;
  readonly isOpen: boolean;
  /** The step that comes next for the person. */
  readonly next: Step | null;
}
