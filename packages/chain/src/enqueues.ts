/** Reads which signed messages a transaction enqueues, alone or together through Multicall3. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { decodeFunctionData, isAddressEqual } from "viem";
import { multicallAbi } from "./abis.ts";
import type { Call, OperationType } from "./call.ts";
import { hashModuleMessage, parseEnqueue, parseModuleCall } from "./delay.ts";
import { deployments } from "./deployments.ts";
import { recoverSigner } from "./signatures.ts";

/** A signed message on its way to a Delay module. */
export interface SignedEnqueue {
  delay: Address;
  /** Calldata of the enqueue. */
  enqueueData: Hex;
  signer: Address;
  messageHash: Hex;
  call: Call;
  operation: OperationType;
}

/** The signed messages that a transaction carries; calls that are none are left out. */
export async function listEnqueues(transaction: Pick<Call, "to" | "data">, chainId: number): Promise<SignedEnqueue[]> {
  const calls = isAddressEqual(transaction.to, deployments.multicall) ? readMulticall(transaction.data) : [transaction];
  const read = await Promise.all(calls.map((call) => readEnqueue(call, chainId)));
  return read.flatMap((enqueue) => enqueue ?? []);
}

function readMulticall(data: Hex): Pick<Call, "to" | "data">[] {
  try {
    const decoded = decodeFunctionData({ abi: multicallAbi, data });
    if (decoded.functionName !== "aggregate3") return [];
    return decoded.args[0].map(({ target, callData }) => ({ to: target, data: callData }));
  } catch {
    return [];
  }
}

async function readEnqueue(
  { to: delay, data: enqueueData }: Pick<Call, "to" | "data">,
  chainId: number,
): Promise<SignedEnqueue | null> {
  const parsed = parseEnqueue(enqueueData);
  const inner = parsed && parseModuleCall(parsed.data);
  if (!parsed || !inner) return null;
  const messageHash = hashModuleMessage({ delay, chainId, data: parsed.data, salt: parsed.salt });
  const signer = parsed.smartWallet ?? (await recoverSigner(messageHash, parsed.signature));
  return signer && { delay, enqueueData, signer, messageHash, ...inner };
}
