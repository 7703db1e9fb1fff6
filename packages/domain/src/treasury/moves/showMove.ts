/** Amounts of the treasury: whole tokens on the wire, base units in rows. */
import { toDecimal, type Token, tokenOf, tokens } from "@cardkeep/chain/tokens";
import type { Currency } from "@cardkeep/contract/core/currencies";
import { fail } from "@cardkeep/contract/core/errors";
import type { TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import { centsToBaseUnits } from "../../core/money.ts";
import { readAmount } from "../../core/readAmount.ts";
import { formatUnits } from "../../core/wording.ts";

/** Base units of a text such as `12.50`. @throws treasury.amount */
export function parseMoveAmount(text: string, currency: Currency): { token: Token; amount: bigint } {
  const token = tokenOf[currency];
  const amount = readAmount(text, token, "treasury.amount");
  return amount > 0n ? { token, amount } : fail("treasury.amount");
}

/** @throws treasury.amount for base units that are no whole cents */
export function requireWholeCents(amount: bigint, token: Token): void {
  if (amount % centsToBaseUnits(1n, token) !== 0n) fail("treasury.amount", { text: "A bank sends whole cents" });
}

/** The currencies whose tokens an institution takes back at their face value. */
const redeemable: readonly Currency[] = ["EUR", "GBP"];
export const isRedeemable = (currency: Currency): boolean => redeemable.includes(currency);

/** Base units with their token's name, exactly. */
export const describeAmount = (amount: bigint, { decimals, symbol }: Pick<Token, "decimals" | "symbol">): string =>
  `${formatUnits(amount, decimals)} ${symbol}`;

/** A move as operators and programs read it. */
export const showMove = (move: TreasuryMove) => ({
  id: move.id,
  kind: move.kind,
  status: move.status,
  amount: toDecimal(move.amount, tokens[move.token]),
  token: move.token,
  currency: tokens[move.token].fiat,
  source: move.source,
  destination: move.destination,
  causeId: move.causeId,
  documentId: move.documentId,
  hash: move.hash,
  externalId: move.externalId,
  failure: move.failure,
  askedBy: move.askedBy,
  approvedBy: move.approvedBy,
  note: move.note,
  createdAt: move.createdAt,
  endedAt: move.endedAt,
});
export type ShownMove = ReturnType<typeof showMove>;
