/** Notices by itself that the database went back. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { findComparedBlock } from "@cardkeep/db/queries/chain/comparison";
import {
  type DatabaseIdentity,
  isSameIdentity,
  readDatabaseIdentity,
} from "@cardkeep/db/queries/core/databaseIdentity";
import { listRelayerLanes } from "@cardkeep/db/queries/operations/health";
import { findNewestReconciliation, type Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import type { Address } from "@cardkeep/contract/core/primitives";
import pTimeout from "p-timeout";
import { readHead } from "../../chain/guards/readHead.ts";
import { listForeignUse, listOwnAddresses } from "../../chain/relay/compareNonces.ts";
import { countMined } from "../../chain/relay/countMined.ts";
import type { CommitContext } from "../../core/context.ts";
import { isUnavailable } from "../../core/errors.ts";
import { silenceSecondsMax } from "../../spending/decision/checkFreshness.ts";
import { beginReconciliation } from "./beginReconciliation.ts";

/** Callbacks that were lost for good are asked for this often. */
const dailyMs = dayMs;
/** How often a database that is the one of the last look is compared with the newest reconciliation. */
const compareEveryMs = 10_000;

/** A node that takes longer is asked again at the next turn. */
const chainMs = 5_000;

/** Begins the evidence of nonces. */
const ofNonces = "Nonces without rows: ";

/** Whether nothing but nonces showed that the database went back. They may be those of another program that uses the key. */
export const showsNoncesAlone = ({ evidence }: Pick<Reconciliation, "evidence">): boolean =>
  evidence?.startsWith(ofNonces) === true;

/** How many nonces of our keys count as used without this service. */
type ForeignCounts = ReadonlyMap<Address, bigint>;

interface ChainAnswer {
  readonly evidence: string | null;
  /** Whether the node has the newest blocks. One that lags counts fewer nonces. */
  readonly isFresh: boolean;
}

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
  let foreignBefore: ForeignCounts | null = null;
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
    foreignBefore ??= await countForeign(ctx);
    const answer = await askChain(ctx, foreignBefore);
    if (answer?.evidence) await compare(ctx, current, answer.evidence);
    isChainAsked = answer !== null && (answer.isFresh || answer.evidence !== null);
  };
}

const countForeign = async ({ db, policy }: CommitContext): Promise<ForeignCounts> =>
  new Map((await listForeignUse(db, policy)).map(({ address, foreignCount }) => [address, foreignCount]));

/** Whether keys of ours have used nonces on chain that no row knows; null where the node does not answer. */
const askChain = (ctx: CommitContext, before: ForeignCounts): Promise<ChainAnswer | null> => {
  const answer = findUsedNonces(ctx, before).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
    return null;
  });
  return pTimeout(answer, { milliseconds: chainMs, fallback: () => null });
};

async function findUsedNonces(ctx: CommitContext, before: ForeignCounts): Promise<ChainAnswer> {
  const { db, policy } = ctx;
  const { head, isBehind } = await readHead(ctx);
  // First the chain: a nonce is taken in a lane before it is used.
  const counts = await Promise.all(
    listOwnAddresses(policy).map(async (address) => ({
      address,
      count: await countMined(ctx, address),
    })),
  );
  const lanes = new Map((await listRelayerLanes(db)).map(({ address, nextNonce }) => [address, nextNonce]));
  // While this node did not answer, a job may have brought a lane to the chain, which counts what it jumps over.
  const after = await countForeign(ctx);
  const used = counts.flatMap(({ address, count }) => {
    const taken = lanes.get(address) ?? 0n;
    const jumped = (after.get(address) ?? 0n) - (before.get(address) ?? 0n);
    if (taken > 0n && taken < count) return [`${address} used ${count}, and ${taken} are known`];
    return jumped > 0n ? [`${address} was brought ahead by ${jumped}`] : [];
  });
  const ageSeconds = (await ctx.clock.now(db)).getTime() / 1000 - head.timestamp;
  return {
    evidence: used.length > 0 ? `${ofNonces}${used.join("; ")}` : null,
    isFresh: !isBehind && ageSeconds <= silenceSecondsMax(policy.cooldownSeconds),
  };
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
