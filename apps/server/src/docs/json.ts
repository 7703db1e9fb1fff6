/** JSON as it is read: coloured, and with hex that nobody reads cut in the middle. */
import { html, type Html } from "./html.ts";

const hexLengthMax = 44;

/** Long hex as its beginning and end; the whole of it stands in the title. */
function abridge(text: string): Html {
  if (!/^0x[0-9a-fA-F]*$/.test(text) || text.length <= hexLengthMax) return html`${text}`;
  return html`<span title="${text}">${text.slice(0, 18)}…${text.slice(-8)}</span>`;
}

const between = (pieces: readonly Html[], separator: string): Html =>
  html`${pieces.map((piece, index) => (index === 0 ? piece : html`${separator}${piece}`))}`;

function value(node: unknown, indent: string): Html {
  if (typeof node === "string") {
    const quoted = JSON.stringify(node).slice(1, -1);
    return html`<i class="s">"${abridge(quoted)}"</i>`;
  }
  if (typeof node !== "object" || node === null) return html`<i class="n">${JSON.stringify(node)}</i>`;
  const deeper = `${indent}  `;
  const lines = Array.isArray(node)
    ? node.map((child) => html`${deeper}${value(child, deeper)}`)
    : Object.entries(node).map(
        ([key, child]) => html`${deeper}<i class="k">${JSON.stringify(key)}</i>: ${value(child, deeper)}`,
      );
  const [open, close] = Array.isArray(node) ? ["[", "]"] : ["{", "}"];
  return lines.length === 0 ? html`${open}${close}` : html`${open}\n${between(lines, ",\n")}\n${indent}${close}`;
}

/** A value as JSON of several lines. */
export const renderJson = (node: unknown): Html => value(node, "");

/** A value as JSON of one line. */
export function renderInlineJson(node: unknown): Html {
  if (typeof node !== "object" || node === null) return value(node, "");
  const pairs = Object.entries(node).map(
    ([key, child]) => html`<i class="k">${JSON.stringify(key)}</i>: ${renderInlineJson(child)}`,
  );
  return html`{ ${between(pairs, ", ")} }`;
}
