/** When a paid order is ready: phone validated, source of funds answered, and for a physical card an address. */
import { findOpenOrder, moveOrder, type Order } from "@cardkeep/db/queries/cards/orders";
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import type { Work } from "../../core/context.ts";

type Address = Pick<Order, "address1" | "address2" | "city" | "postalCode" | "state" | "country">;

/** The verified address, for a physical card that was ordered when there was none. */
export function completeAddress(order: Order, user: User): Partial<Address> {
  if (order.virtual || hasAddress(order)) return {};
  const { address1, address2, city, postalCode, state, country } = user;
  return { address1, address2, city, postalCode, state, country };
}

const hasAddress = ({ address1, city, postalCode, country }: Address): boolean =>
  [address1, city, postalCode, country].every((part) => part !== null && part !== "");

export const isComplete = (user: User, order: Order): boolean =>
  user.isPhoneValidated && user.isSourceOfFundsAnswered && (order.virtual || hasAddress(order));

/**
 * Makes a user's paid order ready once nothing is missing any more; changes nothing otherwise.
 *
 * Call it in every commit that validates a phone, takes answers about the source of funds or writes an address,
 * after its own writes and behind the user's row lock.
 */
export async function readyOrders({ tx, now }: Work, userId: string): Promise<void> {
  const order = await findOpenOrder(tx, userId);
  const user = order?.status === "CONFIRMATIONREQUIRED" ? await findUser(tx, userId) : null;
  if (!order || !user) return;
  const address = completeAddress(order, user);
  if (isComplete(user, { ...order, ...address })) {
    await moveOrder(tx, order.id, "READY", { ...address, updatedAt: now });
  }
}
