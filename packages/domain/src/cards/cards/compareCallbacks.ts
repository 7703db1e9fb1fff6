/** Finds callbacks about cards, people and wallet tokens that the issuer made and that never arrived. */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { findKnownCallbacks } from "@cardkeep/db/queries/cards/issuerCallbacks";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { requireRows } from "../../chain/guards/restoreGuard.ts";
import type { WorkerContext } from "../../core/context.ts";
import { applyIssuerCallback } from "./applyIssuerCallback.ts";

const everyMs = hourMs;
/** Callbacks come late, and clocks differ. */
const overlapMs = 2 * hourMs;
/** How far a first look goes back. */
const firstMs = 7 * dayMs;

/**
 * Applies each missing callback as its delivery would; runs again an hour later.
 *
 * @param since start of the last look; it goes back with a restored database
 * @throws ProviderUnavailable, RowsMissing; the job is run again
 */
export async function compareCallbacks(ctx: WorkerContext, { since }: { since?: string }): Promise<void> {
  // A callback about a card without its row would be kept as one of no card.
  await requireRows(ctx, "cards");
  const startedAt = await ctx.clock.now(ctx.db);
  const from = since === undefined ? startedAt.getTime() - firstMs : Date.parse(since);
  const listed = await ctx.issuer.listCallbacks(new Date(from - overlapMs));
  const known = await findKnownCallbacks(
    ctx.db,
    listed.map(({ id }) => id),
  );
  const failures: unknown[] = [];
  for (const callback of listed.filter(({ id }) => !known.has(id))) {
    const { id: callbackId, type, objectId } = callback;
    try {
      const outcome = await applyIssuerCallback(ctx, callback);
      if (outcome === "applied") ctx.log.warn({ callbackId, type, objectId }, "a callback of the issuer never arrived");
    } catch (error) {
      // One that cannot be applied must not hold up those behind it.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  const payload = { chainId: String(ctx.policy.chainId), since: startedAt.toISOString() };
  await ctx.commit(({ tx, requestId }) => enqueue(tx, "card.callbacks", { ...payload, requestId }, everyMs));
}
