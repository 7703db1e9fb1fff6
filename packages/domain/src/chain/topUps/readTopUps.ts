import { dayMs } from "@cardkeep/contract/core/durations";
import { nativeDecimals, type Address } from "@cardkeep/contract/core/primitives";
import { listRelayerLanes } from "@cardkeep/db/queries/operations/health";
import { listNewestMoves } from "@cardkeep/db/queries/treasury/moves";
import { sumTopUps } from "@cardkeep/db/queries/chain/topUps";
import type { Services } from "../../core/services.ts";
import { formatUnits } from "../../core/wording.ts";

/** An amount in whole native tokens. */
export const formatNative = (amount: bigint): string => formatUnits(amount, nativeDecimals);

/** When each account of the programme's own money sent the transactions of its newest moves. Those that sent none are left out. */
export async function listMovingAccounts({
  db,
  policy: { settlementAddress, treasuryAddress },
}: Pick<Services, "db" | "policy">): Promise<{ account: Address; sentAt: Date[] }[]> {
  const moves = (await listNewestMoves(db)).filter(({ kind }) => kind !== "redeem" && kind !== "fund");
  return [...new Set([settlementAddress, treasuryAddress])]
    .map((account) => ({
      account,
      sentAt: moves.filter(({ source }) => source === account).map(({ createdAt }) => createdAt),
    }))
    .filter(({ sentAt }) => sentAt.length > 0);
}

/**
 * The keys that top-ups serve: those that pay for new transactions. A retired relayer pays for none, and neither does a
 * former spender, which may have been replaced because it was stolen.
 */
export async function listFunded(ctx: Pick<Services, "db" | "policy">): Promise<Address[]> {
  const { policy } = ctx;
  const [lanes, moving] = await Promise.all([listRelayerLanes(ctx.db), listMovingAccounts(ctx)]);
  const retired = lanes.filter(({ state }) => state === "RETIRED");
  const senders = [
    ...new Set([...policy.relayerAddresses, policy.spenderAddress, ...moving.map(({ account }) => account)]),
  ];
  return senders.filter((sender) => !retired.some(({ address }) => address === sender));
}

/** The account that tops up, and what it may still send. */
export interface TopUpState {
  address: Address;
  /** Base units of the native token, like all amounts here. */
  balance: bigint;
  /** Booked within the last 24 hours. */
  spent: bigint;
  perDayMax: bigint;
  /** Keys below the floor whose top-up would exceed the day's limit or the account's balance. */
  starving: Address[];
}

/** The state of top-ups; null where they are off. @throws ChainUnavailable */
export async function readTopUps(ctx: Services): Promise<TopUpState | null> {
  const { topUpLimits: limits, topUpAddress: address } = ctx.policy;
  if (limits === null || address === null) return null;
  const { below, to, perDayMax } = limits;
  const now = await ctx.clock.now(ctx.db);
  const [balance, spent, funded] = await Promise.all([
    ctx.chain.getNativeBalance(address),
    sumTopUps(ctx.db, new Date(now.getTime() - dayMs)),
    listFunded(ctx),
  ]);
  const balances = await Promise.all(funded.map((key) => ctx.chain.getNativeBalance(key)));
  const starving = funded.filter((_, place) => {
    const held = balances[place] ?? 0n;
    return held < below && (spent + to - held > perDayMax || to - held > balance);
  });
  return { address, balance, spent, perDayMax, starving };
}

/** What the operator has to do about top-ups, as text; null where they go on by themselves, or are off. */
export function describeTopUps(state: TopUpState | null): string | null {
  if (state === null || state.starving.length === 0) return null;
  const { address, balance, spent, perDayMax, starving } = state;
  return (
    `${starving.join(", ")}: below TOP_UP_BELOW, and the top-up account ${address} cannot fill up: it holds ` +
    `${formatNative(balance)} and sent ${formatNative(spent)} of ${formatNative(perDayMax)} in 24 h. Find out what uses the gas`
  );
}
