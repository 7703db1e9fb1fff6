import { fail } from "@cardkeep/contract/errors";
import type { Address } from "@cardkeep/contract/primitives";
import { insertSignInWallet, type SignInWallet } from "@cardkeep/db/queries/users";
import type { UserContext } from "../context.ts";
import { generateId } from "../ids.ts";

/**
 * Lets one more wallet sign in for the user. Nothing proves that it is theirs before it signs in.
 *
 * @throws signInWallets.taken when the address belongs to anyone, this user included
 */
export async function add(ctx: UserContext, { address }: { address: Address }): Promise<SignInWallet> {
  const { userId } = ctx.actor;
  return ctx.commit(
    async ({ tx, now }) =>
      (await insertSignInWallet(tx, { id: generateId(), userId, address, createdAt: now })) ??
      fail("signInWallets.taken"),
  );
}
