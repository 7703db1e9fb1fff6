import { listSignInWallets, type SignInWallet } from "@cardkeep/db/queries/users";
import type { UserContext } from "../context.ts";

/** The wallets that may sign in for the user, newest first. */
export async function listWallets(ctx: UserContext): Promise<{ data: { eoaAccounts: SignInWallet[] } }> {
  return { data: { eoaAccounts: await listSignInWallets(ctx.db, ctx.actor.userId) } };
}
