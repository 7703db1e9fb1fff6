import type { ModuleTypedData } from "@cardkeep/chain/delay";
import type { UserContext } from "../context.ts";
import { buildTypedData } from "../delays/buildTypedData.ts";
import { getActiveSafe } from "../safeAccount.ts";
import { buildLimitChange } from "./limitChange.ts";

/** The typed data whose signature by an owner sets exactly this daily limit, once. @throws safes.not_found */
export async function getDailyLimitData(
  ctx: UserContext,
  { newLimit }: { newLimit: number },
): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  return { data: buildTypedData(ctx, safe, buildLimitChange(ctx, safe, newLimit)) };
}
