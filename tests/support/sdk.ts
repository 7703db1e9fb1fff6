/** The published SDK's own reads of the chain, without our reader. */
import { accountQuery, getAccountOwners, predictAddresses } from "@gnosispay/account-kit";
import { createPublicClient, formatUnits, type Hex, http } from "viem";

/** account-kit's data of an account: its status, its owners, and its daily limit in whole units of the token. */
export async function askSdk(rpcUrl: string, safe: string, decimals = 18) {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const call = async (to: string, data: string) =>
    (await client.call({ to: to as Hex, data: data as Hex })).data ?? "0x";
  const { status, allowance } = await accountQuery({ account: safe, cooldown: 180 }, ({ to, data }) => call(to, data));
  const { delay } = predictAddresses(safe);
  const owners = await getAccountOwners(async (data) => ({ data: await call(delay, data) }) as never);
  const whole = (amount: bigint) => Number(formatUnits(amount, decimals));
  return {
    status: Number(status),
    owners,
    limits: { dailyLimit: whole(allowance.refill), dailyRemaining: whole(allowance.balance) },
  };
}
