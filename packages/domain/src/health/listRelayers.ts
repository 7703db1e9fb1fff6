import { suggestFees } from "@cardkeep/chain/relayer";
import type { Address } from "@cardkeep/contract/primitives";
import { listRelayerLanes } from "@cardkeep/db/queries/health";
import type { Services } from "../services.ts";

/** The gas of an average relayed operation, its enqueue or its dispatch, at most. */
const operationGas = 400_000n;

export interface RelayerHealth {
  address: Address;
  /** Base units of the native token. */
  balance: bigint;
  /** Relayed transactions that the balance pays for at the present fees. */
  operationsFunded: bigint;
  /** The nonce that its next transaction will be signed with. */
  nextNonce: bigint;
  /** Its mined transactions. */
  chainNonce: bigint;
  /** Transactions that are signed and not known to be mined. */
  openCount: number;
  /** Nonces that were taken, are not mined, and that no open transaction stands for: 0, or the lane is stuck. */
  nonceGap: bigint;
}

/** Each relayer's lane and funds. @throws ChainUnavailable */
export async function listRelayers(ctx: Services): Promise<RelayerHealth[]> {
  // Rows before chain: what is mined in between makes a gap smaller, never larger.
  const lanes = new Map((await listRelayerLanes(ctx.db)).map((lane) => [lane.address, lane]));
  const { maxFeePerGas } = suggestFees(await ctx.chain.getBlock());
  return Promise.all(
    ctx.rules.relayerAddresses.map(async (address) => {
      const [balance, count] = await Promise.all([
        ctx.chain.getNativeBalance(address),
        ctx.chain.getTransactionCount(address, "latest"),
      ]);
      const chainNonce = BigInt(count);
      const { nextNonce = chainNonce, openCount = 0 } = lanes.get(address) ?? {};
      const gap = nextNonce - chainNonce - BigInt(openCount);
      const operationsFunded = balance / (operationGas * maxFeePerGas);
      return { address, balance, operationsFunded, nextNonce, chainNonce, openCount, nonceGap: gap > 0n ? gap : 0n };
    }),
  );
}
