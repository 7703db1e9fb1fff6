import type { Safe } from "@cardkeep/db/queries/safes";
import type { Context } from "../context.ts";
import { addressesOf } from "./account.ts";

const integrityOk = 0;
const integrityQueueNotEmpty = 7;

/** Whether the account is on chain as it was set up, with something queued or not. */
export async function isWhole(ctx: Context, safe: Safe): Promise<boolean> {
  const { status } = await ctx.chain.getAccountIntegrity({
    addresses: addressesOf(safe),
    cooldownSeconds: safe.cooldownSeconds,
  });
  return status === integrityOk || status === integrityQueueNotEmpty;
}
