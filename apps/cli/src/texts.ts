/** Texts whose form depends on the reader: instants, amounts, widths and colours. */
import { formatRelative } from "@cardkeep/contract/core/durations";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { formatToken, formatTokenShort } from "@cardkeep/domain/spending/payments/formatMoney";
import { formatInstant } from "@cardkeep/domain/core/wording";
import type { Colors } from "@cardkeep/terminal/colors";

/** How a text is printed. */
export interface TextFormat {
  /** By the service's clock. */
  readonly now: Date;
  /** Prints instants and amounts in full, and cuts nothing: `--exact`. */
  readonly isExact: boolean;
  /** What a line may hold. */
  readonly widthMax: number;
  readonly colors: Colors;
}

/** A text, or what makes it once the form is known. */
export type Text = string | ((format: TextFormat) => string);

/** An amount to the cent, and every digit of it. */
interface Amount {
  readonly rounded: string;
  readonly exact: string;
}

/** One value of a table or a list. */
export type Cell = Text | Date | Amount | null;

/** The text in its form. */
export const formatText = (text: Text, format: TextFormat): string => (typeof text === "string" ? text : text(format));

/** Texts after each other. */
export const joinTexts =
  (...texts: readonly Text[]): Text =>
  (format) =>
    texts.map((text) => formatText(text, format)).join("");

/** An amount of a Safe's token in base units. */
export const tokenAmount = (amount: bigint, symbol: Safe["tokenSymbol"]): Amount => ({
  rounded: formatTokenShort(amount, symbol),
  exact: formatToken(amount, symbol),
});

/** A value in a table: `5 min ago`; a dash for none. */
export function formatCell(cell: Cell, format: TextFormat): string {
  if (cell instanceof Date) return format.isExact ? formatInstant(cell) : formatRelative(cell, format.now);
  if (cell === null) return "-";
  if (typeof cell === "object") return format.isExact ? cell.exact : cell.rounded;
  return formatText(cell, format);
}

/** A value beside its name, where there is room: `2026-01-31T12:00:00Z (5 min ago)`. */
export const formatField = (cell: Cell, format: TextFormat): string =>
  cell instanceof Date && !format.isExact
    ? `${formatInstant(cell)} (${formatRelative(cell, format.now)})`
    : formatCell(cell, format);

/** A sentence with values in it. */
export const phrase =
  (parts: TemplateStringsArray, ...cells: readonly (Cell | number)[]): Text =>
  (format) =>
    parts.map((part, index) => part + formatPart(cells[index], format)).join("");

const formatPart = (cell: Cell | number | undefined, format: TextFormat): string =>
  cell === undefined ? "" : typeof cell === "number" ? String(cell) : formatField(cell, format);
