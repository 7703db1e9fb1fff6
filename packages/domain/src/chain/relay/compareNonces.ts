/** Notices transactions of our sender keys on chain that this service did not sign. */
import { hourMs } from "@cardkeep/contract/core/durations";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { catchUpLane, listSharedLanes } from "@cardkeep/db/queries/chain/relay/lanes";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { Executor } from "@cardkeep/db/client";
import type { Context, WorkerContext } from "../../core/context.ts";
import { mayLackRows } from "../guards/restoreGuard.ts";
import { countMined } from "./countMined.ts";
import { fillGap } from "./fillGap.ts";
import { listSenders } from "./signAttempt.ts";

const everyMs = 30_000;
/** A key counts as shared for this long after the last foreign transaction was noticed. */
const sharedMs = hourMs;

/** Compares the nonce of each key with the chain's, and fills nonces that no row has; runs again half a minute later. */
export async function compareNonces(ctx: WorkerContext): Promise<void> {
  const { chainId } = ctx.policy;
  const counts = new Map(
    await Promise.all(
      listLaneAddresses(ctx).map(async (address) => [address, await countMined(ctx, address)] as const),
    ),
  );
  const isLacking = await mayLackRows(ctx, "transactions");
  await ctx.commit(async ({ tx, now, requestId }) => {
    await enqueue(tx, "chain.nonces", { chainId: String(chainId), requestId }, everyMs);
    // A database that went back has lost the rows of our own transactions. The reconciliation brings the lanes in step.
    if (isLacking) return;
    // Nonces are taken before they are used, so only foreign transactions bring the chain ahead of a lane.
    for (const [address, count] of counts) await catchUpLane(tx, address, count, now);
    for (const { relayer, foreignCount, foreignSeenAt } of await listSharedLanes(tx)) {
      if (now.getTime() - foreignSeenAt.getTime() >= everyMs) continue;
      const fields = { relayer, foreignCount: Number(foreignCount) };
      ctx.log.error(
        fields,
        "Another program sends transactions with this relayer key. Give each program its own keys.",
      );
    }
  });
  for (const sender of isLacking ? [] : listSenders(ctx)) {
    const count = counts.get(sender.address);
    if (count !== undefined) await fillGap(ctx, sender, count);
  }
}

/** A key that another program uses too. */
export interface SharedKey {
  address: Address;
  /** Its transactions on chain that this service did not sign, as far as it noticed. */
  foreignCount: bigint;
  foreignSeenAt: Date;
}

/** Keys of this service that another program used within the last hour. */
export async function listSharedKeys(ctx: Pick<Context, "db" | "clock" | "policy">): Promise<SharedKey[]> {
  const since = (await ctx.clock.now(ctx.db)).getTime() - sharedMs;
  return (await listForeignUse(ctx.db, ctx.policy)).filter(({ foreignSeenAt }) => foreignSeenAt.getTime() >= since);
}

/** Keys of this service that another program has ever used, each with the newest instant. */
export async function listForeignUse(on: Executor, policy: Context["policy"]): Promise<SharedKey[]> {
  const ours = new Set(listOwnAddresses(policy));
  return (await listSharedLanes(on))
    .filter(({ relayer }) => ours.has(relayer))
    .map(({ relayer: address, ...row }) => ({ address, ...row }));
}

/** The addresses whose lanes follow the chain: the keys of this worker, and those of which it knows the address alone. */
export const listLaneAddresses = (ctx: WorkerContext): Address[] => [
  ...new Set([...listSenders(ctx).map(({ address }) => address), ...listOwnAddresses(ctx.policy)]),
];

/** The keys of this service that nothing but it is to use. */
export const listOwnAddresses = ({
  relayerAddresses,
  spenderAddress,
  formerSpenderAddresses,
  topUpAddress,
}: Context["policy"]): Address[] =>
  [...new Set([...relayerAddresses, spenderAddress, ...formerSpenderAddresses, topUpAddress])].filter(
    (address) => address !== null,
  );
