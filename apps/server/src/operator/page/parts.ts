/** HTML pieces that several operator pages use. */
import { type StateTone, stateTones } from "@cardkeep/contract/core/machine";
import { markup, type Html, type Part } from "@cardkeep/html/markup";
import { renderTable as renderFilledTable } from "@cardkeep/html/table";
import { renderForeign } from "./foreignText.ts";
import { linkWith, type Visit } from "./page.ts";

/** The tones of words whose machine gives them none, or that are of no machine. */
const tones: Readonly<Record<StateTone, readonly string[]>> = {
  good: [
    "ok",
    "EXECUTED",
    "DELIVERED",
    "ACTIVE",
    "approved",
    "ASSIGNED",
    "green",
    "running",
    "CLEARED",
    "CREDITED",
    "DONE",
    "MINED",
    "READY",
    "CARDCREATED",
    "1000 Active",
    "delivered",
  ],
  waiting: [
    "warning",
    "QUEUING",
    "WAITING",
    "EXECUTING",
    "PENDING",
    "waiting",
    "pending",
    "processing",
    "settingUp",
    "AUTHORIZED",
    "PLANNED",
    "SIGNED",
    "PENDINGTRANSACTION",
    "TRANSACTIONCOMPLETE",
    "CONFIRMATIONREQUIRED",
    "PENDING_OAUTH",
    "1005 Frozen",
    "ordered",
    "shipped",
    "orange",
  ],
  bad: [
    "fault",
    "FAILED",
    "failed",
    "DISABLED",
    "DEACTIVATED",
    "rejected",
    "red",
    "DECLINED",
    "REVERTED",
    "LOST",
    "FAILEDTRANSACTION",
    "1062 Restricted",
    "stopped",
  ],
};

/** A status, coloured by its meaning: what its machine says, or else the word. */
export function renderStatus(status: string | null, ownTone?: StateTone): Html {
  if (status === null) return markup`<span class="none">–</span>`;
  const tone = ownTone ?? stateTones.find((candidate) => tones[candidate].includes(status));
  return markup`<span class="status ${tone ?? "plain"}">${status}</span>`;
}

/** A list of names and values. */
export const renderFields = (fields: readonly (readonly [string, Part])[]): Html =>
  markup`<dl class="fields">
    ${fields.map(
      ([name, value]) =>
        markup`<dt>${name}</dt>
          <dd>${value === null || value === undefined || value === "" ? markup`<span class="none">–</span>` : value}</dd>`,
    )}
  </dl>`;

/** Names and values in little room: two columns on a desk, and none without a value. */
export const renderFacts = (fields: readonly (readonly [string, Part])[]): Html =>
  markup`<dl class="facts">
    ${fields.map(([name, value]) => value !== null && value !== undefined && value !== "" && markup`<div><dt>${name}</dt> <dd>${value}</dd></div>`)}
  </dl>`;

/** A table, or what an empty one says. On a phone each row is a card with its own titles. */
export const renderTable = (columns: readonly string[], rows: readonly (readonly Part[])[], none: string): Html =>
  rows.length === 0 ? markup`<p class="none">${none}</p>` : renderFilledTable(columns, rows);

/** Links to the same list with one of these values, or with all. */
export const renderTabs = (
  visit: Visit,
  name: string,
  values: readonly string[],
  current: string | null,
  hasAll = true,
): Html =>
  markup`<p class="tabs">
    ${[...(hasAll ? [null] : []), ...values].map(
      (value) =>
        markup`<a href="${linkWith(visit, { [name]: value, after: null })}"${value === current && markup` aria-current="true"`}
          >${value ?? "all"}</a
        > `,
    )}
  </p>`;

const renderShortId = (id: string): Html =>
  markup`<code>${id.length > 18 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id}</code>`;

/** A link by id. It shows the name, or the end of the id, which differs most. */
export const renderIdLink = (path: string, id: string, name?: string): Html =>
  markup`<a href="${path}/${encodeURIComponent(id)}" title="${id}">${name === undefined ? renderShortId(id) : renderForeign(name)}</a>`;

/** Text with addresses and hashes marked. */
export const renderWords = (text: string): Html =>
  markup`${text.split(/(0x[0-9a-fA-F]{40,64})/).map((piece, index) => (index % 2 === 1 ? renderCode(piece) : piece))}`;

/** A count, with separators. */
export const renderCount = (count: number | bigint): string => count.toLocaleString("en");

export const renderCode = (text: string | null): Html =>
  text === null ? markup`<span class="none">–</span>` : markup`<code>${text}</code>`;
