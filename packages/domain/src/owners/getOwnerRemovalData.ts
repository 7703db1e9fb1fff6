import type { ModuleTypedData } from "@cardkeep/chain/delay";
import type { Address } from "@cardkeep/contract/primitives";
import type { UserContext } from "../context.ts";
import { buildTypedData } from "../delays/buildTypedData.ts";
import { getActiveSafe } from "../safeAccount.ts";
import { planRemoval } from "./change.ts";

/**
 * The typed data whose signature by an owner removes exactly this one, once, while the owners stay as they are.
 *
 * @throws safes.not_found, owners.not_owner, owners.last
 */
export async function getOwnerRemovalData(
  ctx: UserContext,
  input: { ownerToRemove: Address },
): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  return { data: buildTypedData(ctx, safe, await planRemoval(ctx, safe, input.ownerToRemove)) };
}
