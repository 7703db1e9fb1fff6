import { fail } from "@cardkeep/contract/core/errors";
import { insertSignInWallet, listSignInWallets, lockUser, removeSignInWallet } from "@cardkeep/db/queries/users/users";
import type { OperatorContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { resolveUser } from "./listUsers.ts";

/**
 * Ends every access token of a user within a second, and every token for programs at once. The wallets stay, so the user may sign in again at once.
 *
 * A token names the row of its wallet, so each wallet gets a new row.
 *
 * @throws users.not_found
 */
export async function endAccess(
  ctx: OperatorContext,
  { reference }: { reference: string },
): Promise<{ userId: string; wallets: number }> {
  return ctx.act("users.end-access", async ({ tx, now, afterCommit }) => {
    const { id } = await resolveUser(tx, reference);
    if (!(await lockUser(tx, id))) fail("users.not_found");
    const wallets = await listSignInWallets(tx, id);
    for (const wallet of wallets) {
      // By the wall clock, as tokens are.
      if (await removeSignInWallet(tx, wallet.id, now)) afterCommit(() => ctx.accessTokens.end(wallet.id));
      await insertSignInWallet(tx, { ...wallet, id: generateId() });
    }
    return {
      output: { userId: id, wallets: wallets.length },
      subject: { kind: "user", id },
      before: null,
      after: { wallets: wallets.length },
    };
  });
}
