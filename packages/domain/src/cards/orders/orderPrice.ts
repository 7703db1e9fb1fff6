/** What a card order costs, what a coupon takes off, and what is left to pay. */
import { findTokenForCountry, tokens } from "@cardkeep/chain/tokens";
import type { Executor } from "@cardkeep/db/client";
import { findActiveSafe } from "@cardkeep/db/queries/accounts/safes";
import type { Order } from "@cardkeep/db/queries/cards/orders";
import type { User } from "@cardkeep/db/queries/users/users";
import { atLeastZero, least } from "../../core/money.ts";
import type { Services } from "../../core/services.ts";

/**
 * What a coupon takes off, in the order's currency: the share of the price that it takes off in EUR, half a cent up. Less than
 * the whole EUR price leaves a cent at least: only an order that is free in EUR needs no payment.
 */
export function discountOf({ totalEurCents, discountEurCents, totalCents }: Prices): bigint {
  if (totalEurCents === 0n) return 0n;
  const share = (2n * discountEurCents * totalCents + totalEurCents) / (2n * totalEurCents);
  return discountEurCents < totalEurCents ? least(share, atLeastZero(totalCents - 1n)) : share;
}

type Prices = Pick<Order, "totalEurCents" | "discountEurCents" | "totalCents">;

/** What is left to pay, in cents of the order's currency. */
export const dueOf = (row: Prices): bigint => row.totalCents - discountOf(row);

/**
 * The price of a card for a user: in the currency of the Safe, or before there is one in that of the country. EUR where
 * the operator's list has no price in it.
 */
export async function findPrice(
  { policy: { cardPrices } }: Pick<Services, "policy">,
  on: Executor,
  { id: userId, country }: Pick<User, "id" | "country">,
): Promise<Pick<Order, "currency" | "totalCents" | "totalEurCents">> {
  const safe = await findActiveSafe(on, userId);
  const { fiat } = safe ? tokens[safe.tokenSymbol] : findTokenForCountry(country?.toUpperCase() ?? "");
  const totalCents = cardPrices[fiat];
  const totalEurCents = cardPrices.EUR;
  return totalCents === undefined
    ? { currency: "EUR", totalCents: totalEurCents, totalEurCents }
    : { currency: fiat, totalCents, totalEurCents };
}

export const isFree = (row: Order): boolean => dueOf(row) === 0n;
