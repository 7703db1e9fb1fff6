/** Formats of values for the operator, on terminals and pages. */
import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import type { LaneState } from "@cardkeep/contract/chain/lanes";
import type { TokenDebt } from "@cardkeep/db/queries/spending/debts";
import type { OperatorActor } from "./actor.ts";

/** Control characters, and those that turn the direction of the text around them. */
// oxlint-disable-next-line eslint/no-control-regex -- they are what is looked for
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** A text that other people chose, without characters that a terminal, a browser or a spreadsheet would obey. */
export const cleanText = (text: string): string => text.replaceAll(controls, " ");

/** To the second, as tables have it; `-` for none. */
export const formatInstant = (at: Date | null): string => at?.toISOString().replace(/\.\d+Z$/, "Z") ?? "-";

/** First and last digits of an address. */
export const shorten = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Base units as whole ones, every digit of them. */
export const formatUnits = (amount: bigint, decimals: number): string => toDecimal(amount, { decimals });

const shortDecimals = 2;

/** A decimal number as pages show it: two decimals at least, and every digit that it has: `40.00`, `0.333`. */
export function padDecimals(exact: string): string {
  const [whole = "0", fraction = ""] = exact.split(".");
  return `${whole}.${fraction.padEnd(shortDecimals, "0")}`;
}

/** A decimal number with two decimals, cut off; a sign says where that is not the whole amount: `25.00`, `≈ 0.33`. */
export function shortenDecimal(exact: string): string {
  const [whole = "0", fraction = ""] = padDecimals(exact).split(".");
  return `${/[1-9]/.test(fraction.slice(shortDecimals)) ? "≈ " : ""}${whole}.${fraction.slice(0, shortDecimals)}`;
}

/** The same of base units. */
export const formatUnitsShort = (amount: bigint, decimals: number): string =>
  shortenDecimal(formatUnits(amount, decimals));

/** To the millisecond, as a timeline has it. */
export const formatMoment = (at: Date | null): string => at?.toISOString() ?? "-";

/** What a relayer's lane does. */
export const formatLaneState = (state: LaneState): string => state.toLowerCase();

/** A debt as people read it, for example `12.5 EURe`. */
export const formatDebt = ({ tokenSymbol, owed }: Pick<TokenDebt, "tokenSymbol" | "owed">): string =>
  `${toDecimal(owed, tokens[tokenSymbol])} ${tokenSymbol}`;

const proofs: Readonly<Record<OperatorActor["proof"], string>> = {
  oidc: "OpenID",
  key: "shared key",
  machine: "machine",
  sandbox: "sandbox",
  service: "service",
};

/** How an operator came in, and what shows who it is. */
export const formatWay = ({ via, proof }: Pick<OperatorActor, "via" | "proof">): string =>
  via === proof ? via : `${via}, ${proofs[proof]}`;

/** One JSON document; amounts are decimal strings, instants ISO 8601. */
export const formatJson = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value), 2);

/** A number with what it counts, as in `1 worker` and `2 workers`. */
export const formatCount = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
