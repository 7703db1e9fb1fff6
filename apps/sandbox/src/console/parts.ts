/** HTML pieces that every desk uses. */
import type { KycStatus } from "@cardkeep/contract/verification/kyc";
import { shorten } from "@cardkeep/domain/core/wording";
import { type Html, markup, type Part, prose } from "@cardkeep/html/markup";

export type Tone = "good" | "warn" | "bad" | "note" | "plain";

export const renderBadge = (text: string, tone: Tone = "plain"): Html =>
  markup`<span class="status ${tone}">${text}</span>`;

const kycTones: Readonly<Record<KycStatus, Tone>> = {
  notStarted: "plain",
  documentsRequested: "note",
  pending: "note",
  processing: "note",
  approved: "good",
  resubmissionRequested: "warn",
  rejected: "bad",
  requiresAction: "warn",
};

/** `resubmissionRequested` as "resubmission requested". */
const spell = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export const renderKycStatus = (status: KycStatus): Html => renderBadge(spell(status), kycTones[status]);

const lengthMax = 20;

/** A value that a click copies. Long addresses and ids are shortened; the accessible name holds what is shown. */
export const renderCopy = (value: string, shown = value.length > lengthMax ? shorten(value) : value): Html =>
  markup`<button type="button" class="copy" data-copy="${value}" title="Copy ${value}" aria-label="Copy ${shown}"
    >${shown}</button>`;

/** What an empty list says, and how to get a first entry; `code` stands between backticks. */
export const renderEmpty = (text: string, next?: Html): Html => markup`<p class="empty">${prose(text)} ${next}</p>`;

/** A table that scrolls on a narrow page. */
export const renderTable = (titles: readonly string[], rows: readonly Html[]): Html =>
  markup`<div class="scroll" tabindex="0" role="region" aria-label="${titles.filter(Boolean).join(", ")}">
    <table>
      <thead>
        <tr>
          ${titles.map((title) => (title === "" ? markup`<td></td>` : markup`<th scope="col">${title}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;

/** What a list that is cut off says. `order` names which entries it holds. */
export const renderCut = (shown: number, max: number, order = "newest"): Html | false =>
  shown >= max && markup`<p class="cut-off">Only the ${max} ${order} are shown.</p>`;

/** A control below its label. */
export const renderField = (label: string, control: Html, kind: "wide" | "usual" = "usual"): Html =>
  markup`<label class="field ${kind}"><span>${label}</span>${control}</label>`;

export interface Choice {
  readonly value: string;
  readonly text: string;
  /** Decimals of the chosen token, for the conversion of an amount to base units. */
  readonly decimals?: number;
}

/** A required choice from a list. One outside of a field needs a `label` of its own. */
export const renderSelect = (name: string, choices: readonly Choice[], chosen?: string, label?: string): Html =>
  markup`<select name="${name}" required${label !== undefined && markup` aria-label="${label}"`}>
    ${choices.map(
      ({ value, text, decimals }) =>
        markup`<option value="${value}" ${value === chosen && "selected"} data-decimals="${decimals ?? ""}">
          ${text}
        </option>`,
    )}
  </select>`;

interface Action {
  /** POST unless named. */
  method?: "POST" | "PUT" | "DELETE";
  /** A route of the sandbox; the form's fields fill `{name}`. */
  path: string;
  /** Controls and buttons. */
  content: Part;
  /** The message on success, with `{name}` or `{name:cents}` of the answer; without one the form shows the whole answer. */
  done?: string;
  /** Keep the typed values after success. */
  keeps?: boolean;
  label?: string;
}

/** A form that calls a route of the sandbox and shows the result below. */
export const renderAction = ({ method = "POST", path, content, done, keeps = false, label }: Action): Html =>
  markup`<form
    data-method="${method}"
    data-path="${path}"
    ${done !== undefined && markup`data-done="${done}"`}
    ${keeps && "data-keeps"}
    ${label !== undefined && markup`aria-label="${label}"`}
  >
    ${content}<output></output>
  </form>`;

/** A titled section of a desk. */
export const renderPanel = (title: Part, content: Part): Html =>
  markup`<section class="panel">
    <h2>${title}</h2>
    ${content}
  </section>`;
