import type { Address } from "@cardkeep/contract/primitives";
import type { UserContext } from "../context.ts";
import { getSnapshot } from "../getSnapshot.ts";
import { getActiveSafe } from "../safeAccount.ts";

/** The wallets that may move the Safe's funds, as the chain has them now, newest first. @throws safes.not_found */
export async function listOwners(ctx: UserContext): Promise<{ data: { owners: Address[] } }> {
  const safe = await getActiveSafe(ctx);
  const { owners } = await getSnapshot(ctx, safe);
  return { data: { owners: owners ?? (await ctx.chain.listOwners(safe.delayAddress)) } };
}
