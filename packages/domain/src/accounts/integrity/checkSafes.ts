import { classifyEntry, describeCall } from "@cardkeep/chain/entryPolicy";
import type { Address } from "@cardkeep/contract/core/primitives";
import {
  countCheckedEntries,
  listCheckedDelays,
  listSafesByDelay,
  setPolicyVersion,
  setViolating,
} from "@cardkeep/db/queries/accounts/integrity";
import { findDeploymentBlock, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { WorkerContext } from "../../core/context.ts";
import { policyOf, readEntries } from "./readEntries.ts";
import { recordViolation } from "./recordViolation.ts";

const delaysAtOnce = 50;

/**
 * Checks all entries again that an older policy checked, once after an update. What is no known kind any more becomes a
 * violation; a known violation stays as it is. A run that was cut short begins again.
 */
export async function checkSafes(ctx: WorkerContext): Promise<void> {
  let after: Address | null = null;
  do {
    const delays: Address[] = await listCheckedDelays(ctx.db, after, delaysAtOnce);
    for (const safe of await listSafesByDelay(ctx.db, delays)) await checkOne(ctx, safe);
    after = delays.at(-1) ?? null;
  } while (after !== null);
  await ctx.commit(({ tx }) => setPolicyVersion(tx, ctx.policy.chainId));
}

async function checkOne(ctx: WorkerContext, safe: Safe): Promise<void> {
  const { id: safeId, delayAddress } = safe;
  const [fromBlock, head, checked] = await Promise.all([
    findDeploymentBlock(ctx.db, safeId),
    ctx.chain.getBlock(),
    countCheckedEntries(ctx.db, delayAddress),
  ]);
  const [found] = await readEntries(ctx, { delay: delayAddress, fromBlock, toBlock: head.number });
  const policy = policyOf(ctx, safe);
  const violating = (found?.entries ?? []).filter(
    (entry) => entry.queueNonce < checked && classifyEntry(entry, entry.operation, policy) === null,
  );
  if (violating.length === 0) return;
  await ctx.commit(async (work) => {
    for (const entry of violating) {
      const { queueNonce, operation, transactionHash: hash, blockNumber, blockHash } = entry;
      await setViolating(work.tx, { delayAddress, queueNonce });
      const block = { blockNumber, blockHash };
      await recordViolation(ctx, work, { safeId, queueNonce, reason: describeCall(entry, operation), hash, block });
    }
  });
}
