import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { keccak256, serializeTransaction } from "viem";
import type { ModuleTypedData } from "./delay.ts";
import { type Signer, signTypedData } from "./signer.ts";

/** Fees of an EIP-1559 transaction, in wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** A key that pays for transactions. Signing changes no state. */
export interface RelayerKey extends Signer {
  /** Signs an EIP-1559 transaction; `hash` identifies it. @throws SignerFailed, SignedWrongly */
  sign(
    transaction: Fees & { nonce: number; to: Address; value: bigint; data: Hex; gasLimit: bigint; chainId: number },
  ): Promise<{ raw: Hex; hash: Hex }>;
}

/**
 * The key that moves card money. It sends transactions like a relayer, and signs spends that every account may send.
 */
export interface SpenderKey extends RelayerKey {
  /** @throws SignerFailed, SignedWrongly */
  signSpend(typed: ModuleTypedData): Promise<Hex>;
}

export const createSpenderKey = (signer: Signer): SpenderKey => ({
  ...createRelayerKey(signer),
  signSpend: (typed) => signTypedData(signer, typed),
});

export const createRelayerKey = (signer: Signer): RelayerKey => ({
  ...signer,
  sign: async ({ gasLimit, ...fields }) => {
    const transaction = { type: "eip1559", gas: gasLimit, ...fields } as const;
    const signature = await signer.signDigest(keccak256(serializeTransaction(transaction)));
    const raw = serializeTransaction(transaction, signature);
    return { raw, hash: keccak256(raw) };
  },
});

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
  const fees = outbidFees(stuck, block);
  return fees.maxFeePerGas > suggestionsMax * suggestFees(block).maxFeePerGas ? null : fees;
}

/** The same without that bound: for a transaction that is not to be mined. */
export function outbidFees(stuck: Fees, block: { baseFeePerGas: bigint }): Fees {
  const suggested = suggestFees(block);
  return {
    maxFeePerGas: max(raise(stuck.maxFeePerGas), suggested.maxFeePerGas),
    maxPriorityFeePerGas: max(raise(stuck.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas),
  };
}
