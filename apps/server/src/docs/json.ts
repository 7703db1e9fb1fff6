/** JSON for people: coloured, with long hex cut in the middle. */
import { markup, type Html } from "@cardkeep/html/markup";

/** Hex that is longer than an address. */
const longHex = /(0x[0-9a-fA-F]{43,})/;

/** A text whose long hex is cut to beginning and end. The title holds the whole text. */
const abridge = (text: string): Html =>
  markup`${text
    .split(longHex)
    .map((piece) =>
      longHex.test(piece) ? markup`<span title="${piece}">${piece.slice(0, 18)}…${piece.slice(-8)}</span>` : piece,
    )}`;

const between = (pieces: readonly Html[], separator: string): Html =>
  markup`${pieces.map((piece, index) => (index === 0 ? piece : markup`${separator}${piece}`))}`;

function value(node: unknown, indent: string): Html {
  if (typeof node === "string") {
    const quoted = JSON.stringify(node).slice(1, -1);
    return markup`<i class="s">"${abridge(quoted)}"</i>`;
  }
  if (typeof node !== "object" || node === null) return markup`<i class="n">${JSON.stringify(node)}</i>`;
  const deeper = `${indent}  `;
  const lines = Array.isArray(node)
    ? node.map((child) => markup`${deeper}${value(child, deeper)}`)
    : Object.entries(node).map(
        ([key, child]) => markup`${deeper}<i class="k">${JSON.stringify(key)}</i>: ${value(child, deeper)}`,
      );
  const [open, close] = Array.isArray(node) ? ["[", "]"] : ["{", "}"];
  return lines.length === 0 ? markup`${open}${close}` : markup`${open}\n${between(lines, ",\n")}\n${indent}${close}`;
}

/** A value as JSON on several lines. */
export const renderJson = (node: unknown): Html => value(node, "");

/** A value as JSON on one line. */
export function renderInlineJson(node: unknown): Html {
  if (typeof node !== "object" || node === null) return value(node, "");
  const pairs = Object.entries(node).map(
    ([key, child]) => markup`<i class="k">${JSON.stringify(key)}</i>: ${renderInlineJson(child)}`,
  );
  return markup`{ ${between(pairs, ", ")} }`;
}
