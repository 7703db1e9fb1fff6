import { toDecimal, type Token, tokenList } from "@cardkeep/chain/tokens";
import type { Executor } from "@cardkeep/db/client";
import { listSuspended, sumPartsOfItems } from "@cardkeep/db/queries/books/unexplained";
import { listExplainedItems } from "@cardkeep/db/queries/treasury/unannounced";
import { dayOf } from "../../core/calendar.ts";
import { centsToBaseUnits, least } from "../../core/money.ts";

const places = ["settlement", "treasury"] as const;

/** A cent: who fills the list pays that much to the operator for each line. */
const leastIn = new Map(tokenList.map((token) => [token.fiat, centsToBaseUnits(1n, token)]));

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
 * What the operator's accounts on chain received, from a cent on, or lost unannounced, oldest first. An explained item says where money
 * of the settlement account went, but not by which transaction: it explains the oldest, and none of a later day than its own.
 *
 * @param zone of the books' days
 */
export async function listUnexplained(on: Executor, zone: string): Promise<Unexplained[]> {
  const [postings, explained, parts] = await Promise.all([
    listSuspended(on, places, leastIn),
    listExplainedItems(on),
    sumPartsOfItems(on),
  ]);
  const items = explained.map(({ token, amount, closedAt }) => ({ token, left: amount, day: dayOf(closedAt, zone) }));
  /** Takes up to `amount` of the items that were explained on a day or later; answers the rest. */
  const take = (token: Token, amount: bigint, day: string): bigint => {
    let rest = amount;
    for (const item of items) {
      if (item.token !== token.symbol || item.day < day) continue;
      const part = least(item.left, rest);
      item.left -= part;
      rest -= part;
    }
    return rest;
  };
  for (const token of tokenList) take(token, parts.get(`settlement:${token.fiat}`) ?? 0n, "");
  return postings.flatMap(({ account, amount, ...posting }) => {
    const [kind, currency] = account.split(":");
    const place = places.find((each) => each === kind);
    const token = tokenList.find(({ fiat }) => fiat === currency);
    if (!place || !token) return [];
    const rest = place === "settlement" && amount < 0n ? -take(token, -amount, posting.day) : amount;
    return rest === 0n ? [] : [{ ...posting, place, token, amount: rest }];
  });
}
