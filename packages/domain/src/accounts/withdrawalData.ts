import { buildModuleCall, buildModuleTypedData, generateSalt, type ModuleTypedData } from "@cardkeep/chain/delay";
import type { UserContext } from "../context.ts";
import { getActiveSafe } from "../safes/account.ts";
import { buildWithdrawal, type Transfer } from "./withdraw.ts";

/** The typed data whose signature authorises exactly this withdrawal, once. @throws safes.not_found */
export async function withdrawalData(ctx: UserContext, input: Transfer): Promise<{ data: ModuleTypedData }> {
  const safe = await getActiveSafe(ctx);
  const { call, operation } = buildWithdrawal(input);
  const data = buildModuleTypedData({
    delay: safe.delayAddress,
    chainId: ctx.rules.chainId,
    data: buildModuleCall(call, operation),
    salt: generateSalt(new Date()),
  });
  return { data };
}
