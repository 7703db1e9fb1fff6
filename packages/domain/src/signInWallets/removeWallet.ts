import { fail } from "@cardkeep/contract/errors";
import { listSignInWallets, lockUser, removeSignInWallet } from "@cardkeep/db/queries/users";
import type { Commit, UserContext } from "../context.ts";

/**
 * Takes a wallet's sign-in away, and its access tokens with it; what it owns on chain stays.
 *
 * @throws signInWallets.not_found, also for somebody else's; signInWallets.last
 */
export async function removeWallet(
  ctx: UserContext,
  { id }: { id: string },
): Promise<Commit<{ data: { id: string } }>> {
  const { userId } = ctx.actor;
  return async ({ tx, afterCommit }) => {
    // Two removals at once must not take the last two wallets.
    await lockUser(tx, userId);
    const wallets = await listSignInWallets(tx, userId);
    if (!wallets.some((wallet) => wallet.id === id)) fail("signInWallets.not_found");
    // One that never signed may belong to another person, and so lets nobody in.
    if (!wallets.some((wallet) => wallet.id !== id && wallet.provenAt !== null)) fail("signInWallets.last");
    await removeSignInWallet(tx, id, new Date());
    afterCommit(() => ctx.accessTokens.end(id));
    return { data: { id } };
  };
}
