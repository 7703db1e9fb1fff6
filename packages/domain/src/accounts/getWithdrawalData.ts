import type { ModuleTypedData } from "@cardkeep/chain/delay";
import type { UserContext } from "../context.ts";
import { buildTypedData } from "../delays/buildTypedData.ts";
import { getActiveSafe } from "../safeAccount.ts";
import { buildWithdrawal, requireDestination, type Transfer } from "./withdraw.ts";

/** The typed data whose signature authorises exactly this withdrawal, once. @throws safes.not_found, accounts.unsuitable_destination */
export async function getWithdrawalData(ctx: UserContext, input: Transfer): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  requireDestination(safe, input);
  return { data: buildTypedData(ctx, safe, buildWithdrawal(input)) };
}
