/**
 * When a paid order is ready: phone validated, source of funds answered, and for a physical card an address. An order also
 * gets the name and the address that were unknown when it was made.
 */
import { findCardByOrder } from "@cardkeep/db/queries/cards/cards";
import { findOpenOrder, moveOrder, type Order, type OrderChange, updateOrder } from "@cardkeep/db/queries/cards/orders";
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import { latinName } from "@cardkeep/providers/issuer/latinName";
import type { Work } from "../../core/context.ts";

type Address = Pick<Order, "address1" | "address2" | "city" | "postalCode" | "state" | "country">;

/** The verified name and, for a physical card, the verified address, where the order was made before they were known. */
export function completeOrder(order: Order, user: User): Partial<Address & Pick<Order, "embossedName">> {
  const name = order.embossedName === null ? { embossedName: nameOf(user) } : {};
  if (order.virtual || hasAddress(order)) return name;
  const { address1, address2, city, postalCode, state, country } = user;
  return { ...name, address1, address2, city, postalCode, state, country };
}

/** The name as a card shows it; one that no card can show stays as it is until the card is refused. */
export const nameOf = ({ firstName, lastName, latinFirstName, latinLastName }: User): string | null =>
  [printed(firstName, latinFirstName), printed(lastName, latinLastName)].filter((part) => part !== "").join(" ") ||
  null;

const printed = (name: string | null, latin: string | null): string =>
  name === null ? "" : (latinName(name, latin) ?? name);

const hasAddress = ({ address1, city, postalCode, country }: Address): boolean =>
  [address1, city, postalCode, country].every((part) => part !== null && part !== "");

export const isComplete = (user: User, order: Order): boolean =>
  user.isPhoneValidated && user.isSourceOfFundsAnswered && (order.virtual || hasAddress(order));

/** Makes an order ready. It ends at once where it has a card already: a restore gave that back before the order was ready again. */
export async function makeReady({ tx, now }: Work, id: string, change: OrderChange): Promise<void> {
  await moveOrder(tx, id, "READY", { ...change, updatedAt: now });
  if (await findCardByOrder(tx, id)) await moveOrder(tx, id, "CARDCREATED", { updatedAt: now });
}

/**
 * Makes a user's paid order ready once nothing is missing any more; changes nothing otherwise. A free one is ready before
 * that, so it gets what it lacks then.
 *
 * Call it in every commit that validates a phone, takes answers about the source of funds or writes an address,
 * after its own writes and behind the user's row lock.
 */
export async function readyOrders(work: Work, userId: string): Promise<void> {
  const { tx, now } = work;
  const order = await findOpenOrder(tx, userId);
  const isWaiting = order?.status === "CONFIRMATIONREQUIRED" || order?.status === "READY";
  const user = isWaiting ? await findUser(tx, userId) : null;
  if (!order || !user) return;
  const completed = completeOrder(order, user);
  if (order.status === "READY") {
    const isNews = Object.values(completed).some((part) => part !== null);
    if (isNews) await updateOrder(tx, order.id, "READY", { ...completed, updatedAt: now });
  } else if (isComplete(user, { ...order, ...completed })) {
    await makeReady(work, order.id, completed);
  }
}
