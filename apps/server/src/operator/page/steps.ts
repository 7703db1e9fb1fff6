import type { ProgressStep } from "@cardkeep/domain/core/progressStep";
import { markup, type Html, prose } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";

/** What a state means to its reader. */
const words: Readonly<Record<ProgressStep["state"], string>> = {
  done: "done",
  waiting: "under way",
  open: "waits for the person",
  blocked: "not yet",
  failed: "stopped",
  unneeded: "not needed",
};

/** Steps on a way, each with its state in words as well as in colour. */
export const renderSteps = (steps: readonly ProgressStep[]): Html =>
  markup`<ol class="steps">
    ${steps.map(
      ({ name, state, at, text }) =>
        markup`<li class="step-${state}">
          <strong>${name}</strong> <span>${words[state]}</span>
          ${at !== null && renderTime(at)} ${text !== null && markup`<p>${prose(text)}</p>`}
        </li>`,
    )}
  </ol>`;
