import { toDecimal, type Token, tokenList } from "@cardkeep/chain/tokens";
import type { Executor } from "@cardkeep/db/client";
import { listSuspended, sumPartsOfItems } from "@cardkeep/db/queries/books/unexplained";
import { sumExplainedItems } from "@cardkeep/db/queries/treasury/unannounced";

const places = ["settlement", "treasury"] as const;

/** Money that moved on chain and that no event and no operator explains. */
export interface Unexplained {
  /** Of its posting in the books. */
  readonly id: string;
  readonly place: (typeof places)[number];
  readonly token: Token;
  /** Base units that are not explained: below zero left the account. */
  readonly amount: bigint;
  readonly hash: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
}

/** One as operators and programs read it: the amount in whole tokens, below zero where it left. */
export const showUnexplained = ({ id, place, token, amount, hash, day }: Unexplained) => ({
  id,
  place,
  token: token.symbol,
  amount: toDecimal(amount, token),
  transaction: hash,
  day,
});
export type ShownUnexplained = ReturnType<typeof showUnexplained>;

/**
 * What the operator's accounts on chain received or lost unannounced, oldest first. An explained item says where money of the settlement
 * account went, but not by which transaction: it explains the oldest.
 */
export async function listUnexplained(on: Executor): Promise<Unexplained[]> {
  const [postings, items, parts] = await Promise.all([
    listSuspended(on, places),
    sumExplainedItems(on),
    sumPartsOfItems(on),
  ]);
  const left = new Map(
    tokenList.map(({ symbol, fiat }) => [symbol, (items.get(symbol) ?? 0n) - (parts.get(`settlement:${fiat}`) ?? 0n)]),
  );
  return postings.flatMap(({ account, amount, ...posting }) => {
    const [kind, currency] = account.split(":");
    const place = places.find((each) => each === kind);
    const token = tokenList.find(({ fiat }) => fiat === currency);
    if (!place || !token) return [];
    const known = place === "settlement" && amount < 0n ? (left.get(token.symbol) ?? 0n) : 0n;
    if (known <= 0n) return [{ ...posting, place, token, amount }];
    const part = known < -amount ? known : -amount;
    left.set(token.symbol, known - part);
    return amount + part === 0n ? [] : [{ ...posting, place, token, amount: amount + part }];
  });
}
