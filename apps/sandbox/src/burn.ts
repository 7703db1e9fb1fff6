/** Burns tokens of an account without a transaction that the account signs, as their issuer does. */
import type { Token } from "@cardkeep/chain/tokens";
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseAbi } from "viem";
import { connectNode, sendAs, sendAsMinter } from "./core/minter.ts";
import { SandboxError } from "./core/route.ts";
import type { SandboxRuntime } from "./core/openStore.ts";

const burnAbi = parseAbi(["function burn(uint256 amount)", "function burnFrom(address from, uint256 amount)"]);
const burnGas = 200_000n;

/** Burns base units of an account's tokens. Returns the hash of the transaction, or null if the balance is too low. */
export async function burn(
  runtime: SandboxRuntime,
  { account, token, amount }: { account: Address; token: Token; amount: bigint },
): Promise<Hex | null> {
  const asked = { address: token.address, abi: erc20Abi, functionName: "balanceOf", args: [account] } as const;
  if ((await connectNode(runtime).readContract(asked)) < amount) return null;
  const data = encodeFunctionData({ abi: burnAbi, functionName: "burnFrom", args: [account, amount] });
  try {
    return await sendAsMinter(runtime, { to: token.address, data, gas: burnGas });
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
  }
  // A chain of an earlier version, whose token lets the account alone burn.
  const own = encodeFunctionData({ abi: burnAbi, functionName: "burn", args: [amount] });
  return sendAs(runtime, account, { to: token.address, data: own, gas: burnGas });
}
