import type { Address, Hex } from "@cardkeep/contract/primitives";
import { keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";

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

/** Fees that replace a transaction with the given ones: 12.5 % more on both, rounded up. */
export function bumpFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees {
  return { maxFeePerGas: raise(maxFeePerGas), maxPriorityFeePerGas: raise(maxPriorityFeePerGas) };
}
