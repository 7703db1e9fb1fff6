import { fail } from "@cardkeep/contract/core/errors";
import type { Tx } from "@cardkeep/db/client";
import { type ActingUser, holdActor, lockUser, type User } from "@cardkeep/db/queries/users/users";

/**
 * Takes the lock of the user who acts. Removals of wallets take it too, so that a right that is given behind it is given by a
 * wallet that may still sign in.
 *
 * @throws auth.token_invalid where the user was erased or the wallet removed meanwhile
 */
export async function lockActor(tx: Tx, actor: ActingUser): Promise<User> {
  const user = await lockUser(tx, actor.userId);
  return user !== null && (await holdActor(tx, actor)) ? user : fail("auth.token_invalid");
}
