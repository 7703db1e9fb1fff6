import { normalizeEnsName } from "@cardkeep/chain/ens";
import { fail } from "@cardkeep/contract/core/errors";
import {
  findOpenOrder,
  insertOrder,
  listOwnAddresses,
  type Order,
  updateOrder,
} from "@cardkeep/db/queries/cards/orders";
import { findUser, lockUser, type User } from "@cardkeep/db/queries/users/users";
import type { Commit, UserContext, Work } from "../../core/context.ts";
import { redeemCoupon } from "../coupons/redeemCoupon.ts";
import { generateId } from "../../core/generateId.ts";
import { refuseStopped } from "../../operators/stops/refuseStopped.ts";
import { buildOrder } from "./order.ts";
import { findPrice } from "./orderPrice.ts";
import { nameOf } from "./readyOrders.ts";

interface OrderedCard {
  shippingAddress?: ShippingAddress | null | undefined;
  virtual: boolean;
}

type Input = OrderedCard & ({ personalizationSource: "KYC" } | { personalizationSource: "ENS"; ENSName: string });

interface ShippingAddress {
  address1: string;
  address2?: string | null | undefined;
  city: string;
  postalCode: string;
  country: string;
}

/**
 * Orders a card for a verified user, to the address given or else the verified one; a referral code from the sign-up
 * that is a valid coupon lowers it at once.
 *
 * @throws orders.kyc_required, orders.pending, orders.wrong_country, orders.ens_unavailable,
 * orders.ens_elsewhere, orders.stopped
 */
export async function createOrder(ctx: UserContext, input: Input): Promise<Commit<ReturnType<typeof buildOrder>>> {
  const { userId } = ctx.actor;
  const user = (await findUser(ctx.db, userId)) ?? fail("auth.token_invalid");
  requireOrderable(user, await findOpenOrder(ctx.db, userId), input);
  const ensName = input.personalizationSource === "ENS" ? await proveEnsName(ctx, input.ENSName) : null;

  return async (work) => {
    const { tx, now, requestId } = work;
    await refuseStopped(tx, "card-orders");
    const locked = (await lockUser(tx, userId)) ?? fail("auth.token_invalid");
    requireOrderable(locked, await findOpenOrder(tx, userId), input);
    const row = await insertOrder(tx, {
      id: generateId(),
      userId,
      status: "PENDINGTRANSACTION",
      personalizationSource: input.personalizationSource,
      virtual: input.virtual,
      embossedName: ensName ?? nameOf(locked),
      ...addressOf(input.shippingAddress, locked),
      ...(await findPrice(ctx, tx, locked)),
      discountEurCents: 0n,
      requestId,
      createdAt: now,
      updatedAt: now,
    });
    return buildOrder(await applyReferral(ctx, work, row ?? fail("orders.pending"), locked));
  };
}

function requireOrderable(user: User, open: Order | null, { shippingAddress }: OrderedCard): void {
  if (user.kycStatus !== "approved") fail("orders.kyc_required");
  if (open) fail("orders.pending");
  if (shippingAddress && shippingAddress.country !== user.country?.toUpperCase()) fail("orders.wrong_country");
}

function addressOf(shipping: ShippingAddress | null | undefined, user: User) {
  if (shipping) return { ...shipping, address2: shipping.address2 || null, state: null };
  const { address1, address2, city, postalCode, state, country } = user;
  return { address1, address2, city, postalCode, state, country };
}

async function applyReferral(ctx: UserContext, work: Work, row: Order, user: User): Promise<Order> {
  const code = user.referralCouponCode?.toUpperCase();
  const discount = code ? await redeemCoupon(ctx, work, row, code) : null;
  if (code === undefined || typeof discount !== "bigint") return row;
  return (await updateOrder(work.tx, row.id, row.status, { couponCode: code, discountEurCents: discount })) ?? row;
}

/**
 * Proves by ENS itself that a name stands for a wallet of the user, and answers it as ENS writes it.
 *
 * @throws request.malformed, orders.ens_unavailable, orders.ens_elsewhere
 */
async function proveEnsName(ctx: UserContext, text: string): Promise<string> {
  const name = normalizeEnsName(text) ?? fail("request.malformed", { text: "ENSName is invalid" });
  if (ctx.ens === null) fail("orders.ens_unavailable");
  const address = await ctx.ens.findAddress(name);
  const own = await listOwnAddresses(ctx.db, ctx.actor.userId);
  return address !== null && own.has(address) ? name : fail("orders.ens_elsewhere");
}
