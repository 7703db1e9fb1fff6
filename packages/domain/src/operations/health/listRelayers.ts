import { suggestFees } from "@cardkeep/chain/relayer";
import type { Address } from "@cardkeep/contract/core/primitives";
import { listRelayerLanes } from "@cardkeep/db/queries/operations/health";
import type { LaneState } from "@cardkeep/contract/chain/lanes";
import { atLeastZero } from "../../core/money.ts";
import type { Services } from "../../core/services.ts";

/** The gas of an average relayed operation, its enqueue or its dispatch, at most. */
const operationGas = 400_000n;

export interface RelayerHealth {
  address: Address;
  state: LaneState;
  /** Whether this process knows it by its settings. Otherwise it has open transactions, or was drained. */
  isConfigured: boolean;
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
  /** Nonces that were taken, are not mined and have no open transaction: 0, or the lane is stuck. */
  nonceGap: bigint;
}

/** Each relayer's lane and funds: those of the settings, then others that were drained or have open transactions. @throws ChainUnavailable */
export async function listRelayers(ctx: Services): Promise<RelayerHealth[]> {
  // Rows before chain: what is mined in between makes a gap smaller, never larger.
  const lanes = new Map((await listRelayerLanes(ctx.db)).map((lane) => [lane.address, lane]));
  const { maxFeePerGas } = suggestFees(await ctx.chain.getBlock());
  const { relayerAddresses, spenderAddress, formerSpenderAddresses, topUpAddress } = ctx.policy;
  const { settlementAddress, treasuryAddress } = ctx.policy;
  const accounts = [topUpAddress, settlementAddress, treasuryAddress];
  const known = [...relayerAddresses, spenderAddress, ...formerSpenderAddresses, ...accounts];
  const others = [...lanes.values()]
    .filter(({ state, openCount }) => state !== "ACTIVE" || openCount > 0)
    .map(({ address }) => address)
    .filter((address) => !known.includes(address));
  return Promise.all(
    [...relayerAddresses, ...others].map(async (address) => {
      const [balance, count] = await Promise.all([
        ctx.chain.getNativeBalance(address),
        ctx.chain.getTransactionCount(address, "latest"),
      ]);
      const chainNonce = BigInt(count);
      const { nextNonce: next = 0n, openCount = 0, state = "ACTIVE" as const } = lanes.get(address) ?? {};
      // A lane that was never used takes the chain's nonce.
      const nextNonce = next === 0n ? chainNonce : next;
      const isConfigured = relayerAddresses.includes(address);
      const operationsFunded = balance / (operationGas * maxFeePerGas);
      const nonceGap = atLeastZero(nextNonce - chainNonce - BigInt(openCount));
      return { address, state, isConfigured, balance, operationsFunded, nextNonce, chainNonce, openCount, nonceGap };
    }),
  );
}
