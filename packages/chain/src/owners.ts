import type { Address } from "@cardkeep/contract/core/primitives";
import { decodeFunctionData, encodeFunctionData } from "viem";
import { delayAbi } from "./abis.ts";
import type { AccountAddresses } from "./predictAccount.ts";
import type { Call } from "./call.ts";
import { deployments, sentinelAddress } from "./deployments.ts";
import { tokenList } from "./tokens.ts";

/**
 * Below it are the zero address, the sentinel, the Safe's dead owner and the chain's precompiles: no person has their
 * keys.
 */
const firstWallet = 0x10000n;

const shared: readonly Address[] = [...Object.values(deployments), ...tokenList.map(({ address }) => address)];

/** Precompiles end here: Ethereum's begin at 1, those of rollups at 0x100 (EIP-7587). */
const precompilesEnd = 0x200n;

/**
 * Whether an address can be a person's: it is neither zero, nor a precompile, nor a contract that all accounts share.
 */
export const isWallet = (address: Address): boolean => BigInt(address) >= precompilesEnd && !shared.includes(address);

/** Whether money at an address can be used: it is a wallet, and not a part of the account itself. */
export const isDestination = (address: Address, account: AccountAddresses): boolean =>
  isWallet(address) && !Object.values(account).includes(address);

/**
 * Whether a wallet may become an owner of an account.
 *
 * An address without a signing key may not: afterwards the last owner with a key could be removed. A contract that
 * forwards any caller's calls may not either, because the Delay module accepts an owner's own call without a
 * signature.
 */
export function isSuitableOwner(wallet: Address, account: AccountAddresses): boolean {
  return BigInt(wallet) >= firstWallet && isDestination(wallet, account);
}

/** The call by which a Safe allows another wallet to move its funds. */
export function buildAddOwner(delay: Address, newOwner: Address): Call {
  return {
    to: delay,
    value: 0n,
    data: encodeFunctionData({ abi: delayAbi, functionName: "enableModule", args: [newOwner] }),
  };
}

/**
 * The call by which a Safe removes an owner; `owners` is the whole list in the chain's order.
 *
 * It names the previous owner in the list, so it fails after the list has changed there.
 * @throws Error when `owner` is not in the list
 */
export function buildRemoveOwner(input: { delay: Address; owners: readonly Address[]; owner: Address }): Call {
  const { delay, owners, owner } = input;
  const index = owners.indexOf(owner);
  if (index < 0) throw new Error(`${owner} is not an owner on ${delay}`);
  const previous = owners[index - 1] ?? sentinelAddress;
  return {
    to: delay,
    value: 0n,
    data: encodeFunctionData({ abi: delayAbi, functionName: "disableModule", args: [previous, owner] }),
  };
}

/** How a call of a Safe changes the owners on its Delay module; null if it does not. */
export function findOwnerChange(call: Call, delay: Address): { kind: "add" | "remove"; owner: Address } | null {
  if (call.to !== delay) return null;
  try {
    const decoded = decodeFunctionData({ abi: delayAbi, data: call.data });
    if (decoded.functionName === "enableModule") return { kind: "add", owner: decoded.args[0] };
    return decoded.functionName === "disableModule" ? { kind: "remove", owner: decoded.args[1] } : null;
  } catch {
    return null;
  }
}
