/** The user who acts, whose right may have ended while the request was under way. */
import { fail } from "@cardkeep/contract/core/errors";
import type { Tx } from "@cardkeep/db/client";
import { holdActing, lockUser, type User } from "@cardkeep/db/queries/users/users";
import type { UserActor } from "./actor.ts";

export type Acting = Omit<UserActor, "signerAddress">;

/**
 * Takes the lock of the user who acts. Removals of wallets and deactivations take it too, so that a right that is given behind it
 * is given by who may still do so.
 *
 * @throws auth.token_invalid where the user was erased or the wallet removed meanwhile, users.deactivated
 */
export async function lockActor(tx: Tx, actor: Acting): Promise<User> {
  const user = (await lockUser(tx, actor.userId)) ?? fail("auth.token_invalid");
  // A statement of its own: that of the lock has the wallets of before its wait.
  await holdActor(tx, actor);
  return user;
}

/** Holds off the erasure of the user who acts until the transaction ends. @throws auth.token_invalid, users.deactivated */
export async function holdActor(tx: Tx, actor: Acting): Promise<void> {
  const user = (await holdActing(tx, actor)) ?? fail("auth.token_invalid");
  if (actor.mustBeActive === true && user.status === "DEACTIVATED") fail("users.deactivated");
}
