import { normalizeEnsName } from "@cardkeep/chain/ens";
import { fail } from "@cardkeep/contract/errors";
import { listOwnAddresses } from "@cardkeep/db/queries/orders";
import type { UserContext } from "../context.ts";

/**
 * Proves by ENS itself that a name stands for a wallet of the user, and answers it as ENS writes it.
 *
 * @throws request.malformed, orders.ens_unavailable, orders.ens_elsewhere
 */
export async function proveEnsName(ctx: UserContext, text: string): Promise<string> {
  const name = normalizeEnsName(text) ?? fail("request.malformed", { text: "ENSName is invalid" });
  if (ctx.ens === null) fail("orders.ens_unavailable");
  const address = await ctx.ens.findAddress(name);
  const own = await listOwnAddresses(ctx.db, ctx.actor.userId);
  return address !== null && own.has(address) ? name : fail("orders.ens_elsewhere");
}
