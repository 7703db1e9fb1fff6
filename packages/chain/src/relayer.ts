import type { Address, Hex } from "@cardkeep/contract/primitives";
import { keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { ModuleTypedData } from "./delay.ts";

/** Fees of an EIP-1559 transaction, in wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** A key that pays for transactions. Signing makes no request and changes no state. */
export interface RelayerKey {
  address: Address;
  /** Signs an EIP-1559 transaction; `hash` identifies it. */
  sign(
    transaction: Fees & { nonce: number; to: Address; value: bigint; data: Hex; gasLimit: bigint; chainId: number },
  ): Promise<{ raw: Hex; hash: Hex }>;
}

/**
 * The key that moves card money. It sends transactions like a relayer, and signs spends that every account may send.
 */
export interface SpenderKey extends RelayerKey {
  signSpend(typed: ModuleTypedData): Promise<Hex>;
}

export function createSpenderKey(privateKey: Hex): SpenderKey {
  const account = privateKeyToAccount(privateKey);
  return { ...createRelayerKey(privateKey), signSpend: (typed) => account.signTypedData(typed) };
}

export function createRelayerKey(privateKey: Hex): RelayerKey {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address,
    sign: async ({ gasLimit, nonce, to, value, data, chainId, maxFeePerGas, maxPriorityFeePerGas }) => {
      const raw = await account.signTransaction({
        type: "eip1559",
        gas: gasLimit,
        nonce,
        to,
        value,
        data,
        chainId,
        maxFeePerGas,
        maxPriorityFeePerGas,
      });
      return { raw, hash: keccak256(raw) };
    },
  };
}

/** A tip that every validator accepts on a chain whose blocks are not full. */
const tipWeiPerGas = 1_000_000_000n;

/** Fees with which a transaction is mined soon, even if the base fee doubles meanwhile. */
export function suggestFees(block: { baseFeePerGas: bigint }): Fees {
  return { maxFeePerGas: 2n * block.baseFeePerGas + tipWeiPerGas, maxPriorityFeePerGas: tipWeiPerGas };
}

/** Nodes require at least 10 % more on both fees for a replacement; 12.5 % also survives rounding. */
const raise = (fee: bigint): bigint => (fee * 1125n + 999n) / 1000n;

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Fees stay below this multiple of the present suggestion. A chain that stands still does not need more. */
const suggestionsMax = 10n;

/**
 * Fees that replace a transaction with the given ones: 12.5 % more on both, rounded up, or the present suggestion if
 * that is more. Null if they would exceed ten times the suggestion: then higher fees would not help.
 */
export function raiseFees(stuck: Fees, block: { baseFeePerGas: bigint }): Fees | null {
  const suggested = suggestFees(block);
  const maxFeePerGas = max(raise(stuck.maxFeePerGas), suggested.maxFeePerGas);
  const maxPriorityFeePerGas = max(raise(stuck.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas);
  return maxFeePerGas > suggestionsMax * suggested.maxFeePerGas ? null : { maxFeePerGas, maxPriorityFeePerGas };
}
