import { buildModuleCall, buildModuleTypedData, generateSalt, type ModuleTypedData } from "@cardkeep/chain/delay";
import { CallReverted } from "@cardkeep/chain/errors";
import type { ErrorCode } from "@cardkeep/contract/core/errorCatalogue";
import { fail } from "@cardkeep/contract/core/errors";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Context } from "../../core/context.ts";
import { operationGasMax } from "../../chain/relay/gasLimits.ts";
import type { DelayedOperation } from "./delayedOperation.ts";

/** The result of the operation if the Safe executed it now. @throws `refusal` where the chain refuses */
export async function rehearse(
  ctx: Context,
  safe: Safe,
  { call }: DelayedOperation,
  refusal: ErrorCode = "delays.refused",
): Promise<Hex> {
  return ctx.chain.simulate({ from: safe.address, call, gasMax: operationGasMax }).catch((cause: unknown) => {
    if (cause instanceof CallReverted) fail(refusal, { cause });
    throw cause;
  });
}

/** The typed data whose signature by an owner authorises exactly this operation, once. */
export function buildTypedData(ctx: Context, safe: Safe, { call, operation }: DelayedOperation): ModuleTypedData {
  return buildModuleTypedData({
    delay: safe.delayAddress,
    chainId: ctx.policy.chainId,
    data: buildModuleCall(call, operation),
    salt: generateSalt(new Date()),
  });
}
