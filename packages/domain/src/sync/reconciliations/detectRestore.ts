/** Notices by itself that the database went back. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { findComparedBlock } from "@cardkeep/db/queries/chain/comparison";
import { type DatabaseIdentity, readDatabaseIdentity } from "@cardkeep/db/queries/core/databaseIdentity";
import { findNewestReconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import type { CommitContext } from "../../core/context.ts";
import { beginReconciliation } from "./beginReconciliation.ts";

/** Callbacks that were lost for good are asked for this often. */
const dailyMs = dayMs;
/** How often a database that is the one of the last look is compared with the newest reconciliation. */
const compareEveryMs = 10_000;

/**
 * A detector of one process, which remembers how far the database had come.
 *
 * It compares cluster, timeline and database with those of the newest reconciliation, and the position in the write-ahead log
 * with the highest one that it has seen. Where either shows another past, a reconciliation begins, once.
 */
export function createRestoreDetector(): (ctx: CommitContext) => Promise<void> {
  let highest: DatabaseIdentity | null = null;
  let comparedAtMs = Number.NEGATIVE_INFINITY;
  return async (ctx) => {
    const current = await readDatabaseIdentity(ctx.db);
    const isSame = highest?.identity === current.identity;
    const isBehind = isSame && highest !== null && current.position < highest.position;
    if (!isSame || isBehind || performance.now() - comparedAtMs >= compareEveryMs) {
      await compare(ctx, current, isBehind);
      comparedAtMs = performance.now();
    }
    highest = current;
  };
}

/** Compares with the newest reconciliation, and begins one where another past or a day's time asks for it. */
async function compare(ctx: CommitContext, current: DatabaseIdentity, isBehind: boolean): Promise<void> {
  const newest = await findNewestReconciliation(ctx.db);
  const evidence = isBehind
    ? "The write-ahead log is shorter than it was"
    : newest && newest.databaseIdentity !== current.identity
      ? `The database was ${newest.databaseIdentity} and is ${current.identity}`
      : null;
  const isDue = newest !== null && (await ctx.clock.now(ctx.db)).getTime() - newest.startedAt.getTime() >= dailyMs;
  const reason = newest === null ? "first" : evidence !== null ? "restored" : isDue ? "daily" : null;
  if (reason === null) return;
  const fromBlock = await findComparedBlock(ctx.db, ctx.policy.chainId);
  await ctx.commit((work) => beginReconciliation(ctx, work, { reason, evidence, fromBlock }));
}
