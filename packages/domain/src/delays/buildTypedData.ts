import { buildModuleCall, buildModuleTypedData, generateSalt, type ModuleTypedData } from "@cardkeep/chain/delay";
import type { Safe } from "@cardkeep/db/queries/safes";
import type { Context } from "../context.ts";
import type { Operation } from "./submit.ts";

/** The typed data whose signature by an owner authorises exactly this operation, once. */
export function buildTypedData(ctx: Context, safe: Safe, { call, operation }: Operation): ModuleTypedData {
  return buildModuleTypedData({
    delay: safe.delayAddress,
    chainId: ctx.rules.chainId,
    data: buildModuleCall(call, operation),
    salt: generateSalt(new Date()),
  });
}
