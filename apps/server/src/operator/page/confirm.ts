/** Actions behind a confirmation: the consequence in words, and a reason that the log of actions keeps. */
import { reasonLengthMax } from "@cardkeep/domain/core/operators/reason";
import { markup, type Html, type Part } from "@cardkeep/html/markup";

export interface Confirmation {
  /** The address that the form is sent to. */
  readonly action: string;
  /** The act, as its button says it: `Deactivate this user`. */
  readonly label: string;
  /** What happens then, and whether it can be undone. */
  readonly consequence: Part;
  /** Further controls, each with its label. */
  readonly fields?: Part;
  readonly hidden?: Readonly<Record<string, string>>;
  /** `none` for an act without consequences for people or money. */
  readonly reason?: "required" | "optional" | "none";
  /** It ends or removes something. */
  readonly isDanger?: boolean;
  /** It may be sent any number of times: it answers a file. */
  readonly mayRepeat?: boolean;
}

/** The field with the key by which a form is carried out once. */
export const formKeyName = "formKey";

const renderReason = (id: string, reason: "required" | "optional"): Html =>
  markup`<label for="${id}">Reason${reason === "optional" && " (optional)"}</label>
    <textarea id="${id}" name="reason" rows="2" maxlength="${reasonLengthMax}"${reason === "required" && markup` required`}></textarea>`;

/** The form itself, for a page that asks for nothing else, such as a preview. */
export function renderConfirmForm({
  action,
  label,
  consequence,
  fields,
  hidden = {},
  reason = "required",
  isDanger = false,
  mayRepeat = false,
}: Confirmation): Html {
  // One form for each act and place is on a page, so its address makes the id unique.
  const id = `reason-${[action, ...Object.values(hidden)].join("-").replaceAll(/[^\w]+/g, "-")}`;
  return markup`<form method="post" action="${action}">
    <p class="consequence">${consequence}</p>
    ${fields}
    ${Object.entries(hidden).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}" />`)}
    ${!mayRepeat && markup`<input type="hidden" name="${formKeyName}" value="${crypto.randomUUID()}" />`}
    ${reason !== "none" && renderReason(id, reason)}
    <button${isDanger && markup` class="danger"`}>${label}</button>
  </form>`;
}

/** A closed panel with the form: one click opens it, a second one acts. */
export const renderConfirm = (confirmation: Confirmation): Html =>
  markup`<details class="confirm">
    <summary>${confirmation.label}</summary>
    ${renderConfirmForm(confirmation)}
  </details>`;
