import type { ModuleTypedData } from "@cardkeep/chain/delay";
import type { Address } from "@cardkeep/contract/primitives";
import type { UserContext } from "../context.ts";
import { buildTypedData } from "../delays/buildTypedData.ts";
import { getActiveSafe } from "../safeAccount.ts";
import { planAddition } from "./change.ts";

/**
 * The typed data whose signature by an owner adds exactly this one, once.
 *
 * @throws safes.not_found, owners.unsuitable, owners.already_owner
 */
export async function getOwnerAdditionData(
  ctx: UserContext,
  input: { newOwner: Address },
): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  return { data: buildTypedData(ctx, safe, await planAddition(ctx, safe, input.newOwner)) };
}
