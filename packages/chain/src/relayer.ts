import type { Address, Hex } from "@cardkeep/contract/primitives";
import { keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { ModuleTypedData } from "./delay.ts";

/** Fees of an EIP-1559 transaction, in wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** A key that pays for transactions; signing asks nobody and changes nothing. */
export interface RelayerKey {
  address: Address;
  /** Signs an EIP-1559 transaction; `hash` is what it will be known by. */
  sign(
    transaction: Fees & { nonce: number; to: Address; value: bigint; data: Hex; gasLimit: bigint; chainId: number },
  ): Promise<{ raw: Hex; hash: Hex }>;
}

/** The key that moves card money: a relayer's for what it sends itself, and a signer of spends that anyone may send. */
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

/** A tip that any validator takes on a chain whose blocks are not full. */
const tipWeiPerGas = 1_000_000_000n;

/** Fees with which a transaction is mined soon, and still is when the base fee doubles meanwhile. */
export function suggestFees(block: { baseFeePerGas: bigint }): Fees {
  return { maxFeePerGas: 2n * block.baseFeePerGas + tipWeiPerGas, maxPriorityFeePerGas: tipWeiPerGas };
}

/** Nodes want at least 10 % more on both fees before they replace a transaction; 12.5 % also survives rounding. */
const raise = (fee: bigint): bigint => (fee * 1125n + 999n) / 1000n;

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** So many times the present suggestion is more than any wait is worth; a chain that stands still asks for no more. */
const suggestionsMax = 10n;

/**
 * Fees that replace a transaction with the given ones: 12.5 % more on both, rounded up, or what is suggested now if that
 * is more. Null where they would exceed ten times the suggestion: more fee is not what the transaction lacks.
 */
export function raiseFees(stuck: Fees, block: { baseFeePerGas: bigint }): Fees | null {
  const suggested = suggestFees(block);
  const maxFeePerGas = max(raise(stuck.maxFeePerGas), suggested.maxFeePerGas);
  const maxPriorityFeePerGas = max(raise(stuck.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas);
  return maxFeePerGas > suggestionsMax * suggested.maxFeePerGas ? null : { maxFeePerGas, maxPriorityFeePerGas };
}
