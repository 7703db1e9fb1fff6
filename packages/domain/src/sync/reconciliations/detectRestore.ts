/** Notices by itself that the database went back. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { findComparedBlock } from "@cardkeep/db/queries/chain/comparison";
import {
  type DatabaseIdentity,
  isSameIdentity,
  readDatabaseIdentity,
} from "@cardkeep/db/queries/core/databaseIdentity";
import { listRelayerLanes } from "@cardkeep/db/queries/operations/health";
import { findNewestReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import pTimeout from "p-timeout";
import { listOwnAddresses } from "../../chain/relay/compareNonces.ts";
import type { CommitContext } from "../../core/context.ts";
import { isUnavailable } from "../../core/errors.ts";
import { beginReconciliation } from "./beginReconciliation.ts";

/** Callbacks that were lost for good are asked for this often. */
const dailyMs = dayMs;
/** How often a database that is the one of the last look is compared with the newest reconciliation. */
const compareEveryMs = 10_000;

/** A node that takes longer is asked again at the next turn. */
const chainMs = 5_000;

/**
 * A detector of one process, which remembers how far the database had come.
 *
 * It compares cluster, timeline, database and a table's file with those of the newest reconciliation, and the position in the write-ahead
 * log with the highest one that it has seen. Before it has seen any, it compares the nonces of our keys with the chain: a copy of
 * the disk that was put back while no worker ran shows nothing else. Where one of them shows another past, a reconciliation
 * begins, once.
 */
export function createRestoreDetector(): (ctx: CommitContext) => Promise<void> {
  let highest: DatabaseIdentity | null = null;
  let comparedAtMs = Number.NEGATIVE_INFINITY;
  let isChainAsked = false;
  return async (ctx) => {
    const current = await readDatabaseIdentity(ctx.db);
    const isSame = highest?.identity === current.identity;
    const isBehind = isSame && highest !== null && current.position < highest.position;
    if (!isSame || isBehind || performance.now() - comparedAtMs >= compareEveryMs) {
      await compare(ctx, current, isBehind ? "The write-ahead log is shorter than it was" : null);
      comparedAtMs = performance.now();
    }
    highest = current;
    if (isChainAsked) return;
    const answer = await askChain(ctx);
    if (answer?.evidence) await compare(ctx, current, answer.evidence);
    isChainAsked = answer !== null;
  };
}

/** Whether keys of ours have used nonces on chain that no row knows; null where the node does not answer. */
const askChain = (ctx: CommitContext): Promise<{ evidence: string | null } | null> => {
  const answer = findUsedNonces(ctx).then(
    (evidence) => ({ evidence }),
    (error: unknown) => {
      if (!isUnavailable(error)) throw error;
      return null;
    },
  );
  return pTimeout(answer, { milliseconds: chainMs, fallback: () => null });
};

async function findUsedNonces({ db, chain, policy }: CommitContext): Promise<string | null> {
  // First the chain: a nonce is taken in a lane before it is used.
  const counts = await Promise.all(
    listOwnAddresses(policy).map(async (address) => ({
      address,
      count: BigInt(await chain.getTransactionCount(address, "latest")),
    })),
  );
  const lanes = new Map((await listRelayerLanes(db)).map(({ address, nextNonce }) => [address, nextNonce]));
  const used = counts.flatMap(({ address, count }) => {
    const taken = lanes.get(address) ?? 0n;
    return taken > 0n && taken < count ? [`${address} used ${count} nonces, and ${taken} are known`] : [];
  });
  return used.length > 0 ? used.join("; ") : null;
}

/** Compares with the newest reconciliation, and begins one where another past or a day's time asks for it. */
async function compare(ctx: CommitContext, current: DatabaseIdentity, seen: string | null): Promise<void> {
  const newest = await findNewestReconciliation(ctx.db);
  const evidence =
    newest && !isSameIdentity(newest.databaseIdentity, current)
      ? `The database was ${newest.databaseIdentity} and is ${current.identity}`
      : seen;
  const isDue = newest !== null && (await ctx.clock.now(ctx.db)).getTime() - newest.startedAt.getTime() >= dailyMs;
  const reason = newest === null ? "first" : evidence !== null ? "restored" : isDue ? "daily" : null;
  if (reason === null) return;
  const fromBlock = await findComparedBlock(ctx.db, ctx.policy.chainId);
  await ctx.commit((work) => beginReconciliation(ctx, work, { reason, evidence, fromBlock }));
}
