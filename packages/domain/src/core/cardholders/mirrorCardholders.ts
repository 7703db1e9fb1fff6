/** After a stop of all card payments, or its end: everybody's status at the issuer, at the issuer's rate. */
import {
  listCardholdersBehind,
  listStandings,
  lockCardholdersAfter,
  setIssuerStatus,
  updateCardholder,
} from "@cardkeep/db/queries/cards/cardholders";
import { isStopped } from "@cardkeep/db/queries/operators/stops";
import { listUsersById } from "@cardkeep/db/queries/users/users";
import { enqueue, enqueueIfAbsent } from "@cardkeep/db/queue/enqueue";
import { ProviderRefused } from "@cardkeep/providers/http";
import type { Work, WorkerContext } from "../context.ts";
import type { MoneyPolicy } from "../policy.ts";
import { asAtIssuer } from "./asAtIssuer.ts";
import { findDetails } from "./buildDetails.ts";
import { cardholderStatusOf, findBlock, findOpenSince } from "./findBlock.ts";
import { digestWanted, syncCardholder } from "./syncCardholder.ts";

/** People of one commit. */
const batchSize = 500;
const rateMs = 1_000;

/** In the commit of a change that concerns everybody: adds the job about all people. */
export const enqueueCardholderMirror = (
  { tx, requestId }: Pick<Work, "tx" | "requestId">,
  chainId: number,
): Promise<void> => enqueue(tx, "cardholders.mirror", { chainId: String(chainId), requestId });

/**
 * Derives what the issuer should have of each person, then syncs those that it has otherwise, no more in a second than
 * the issuer takes. Killed at any line and run again, it goes on with those that are left. It ends once the stop is lifted or made
 * meanwhile: what it derived holds no more.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function mirrorCardholders(ctx: WorkerContext): Promise<void> {
  const wasStopped = await isStopped(ctx.db, "card-payments");
  for (let after: string | undefined = ""; after !== undefined;) {
    requireRunning(ctx);
    const from: string = after;
    after = await ctx.commit((work) => deriveBatch(ctx, work, from));
  }
  let after = "";
  for (;;) {
    requireRunning(ctx);
    // The change added the next job, which waits for this one, and derives everybody's status anew.
    if ((await isStopped(ctx.db, "card-payments")) !== wasStopped) return;
    const startedAtMs = performance.now();
    const now = await ctx.clock.now(ctx.db);
    const next = await listCardholdersBehind(ctx.db, { after, now, limit: ctx.policy.issuerCallsPerSecond });
    const last = next.at(-1);
    if (last === undefined) return;
    after = last;
    await Promise.all(next.map((userId) => syncOne(ctx, userId)));
    await Bun.sleep(computePauseMs(ctx.policy, { calls: next.length, tookMs: performance.now() - startedAtMs }));
  }
}

/** How long to wait after some calls that took a while, so that no second has more of them than the issuer takes. */
export const computePauseMs = (
  { issuerCallsPerSecond }: Pick<MoneyPolicy, "issuerCallsPerSecond">,
  { calls, tookMs }: { calls: number; tookMs: number },
): number => (calls < issuerCallsPerSecond ? 0 : Math.max(0, rateMs - tookMs));

/** A refused call holds up no other person: the person's own job fails, for the operator to see. One that was given up stays so. */
async function syncOne(ctx: WorkerContext, userId: string): Promise<void> {
  await syncCardholder(ctx, { userId }).catch(async (error: unknown) => {
    if (!(error instanceof Error && error.cause instanceof ProviderRefused)) throw error;
    ctx.log.error({ err: error, userId }, "the issuer refused a person's status");
    await enqueueIfAbsent(ctx.db, "cardholder.sync", { userId, requestId: ctx.requestId });
  });
}

function requireRunning({ stopping }: WorkerContext): void {
  if (stopping.aborted) throw new Error("The worker stops; the job is run again");
}

/** Writes the statuses and the details of the next people; returns the last of them. */
async function deriveBatch({ policy }: WorkerContext, { tx, now }: Work, after: string): Promise<string | undefined> {
  const cardholders = await lockCardholdersAfter(tx, after, batchSize);
  const userIds = cardholders.map(({ userId }) => userId);
  const standings = await listStandings(tx, userIds, findOpenSince(policy, now));
  const people = new Map((await listUsersById(tx, userIds)).map((user) => [user.id, user]));
  for (const row of cardholders) {
    const issuerDetails = digestWanted(
      row,
      findDetails(await asAtIssuer(tx, people.get(row.userId) ?? null, now), now),
    );
    if (issuerDetails !== row.issuerDetails) await updateCardholder(tx, row.userId, { issuerDetails });
  }
  const wanted = new Map(
    standings.map((standing) => [standing.userId, cardholderStatusOf(findBlock(standing, policy))]),
  );
  for (const status of ["active", "inactive"] as const) {
    const changed = cardholders.filter(
      ({ userId, issuerStatus }) => wanted.get(userId) === status && issuerStatus !== status,
    );
    await setIssuerStatus(
      tx,
      changed.map(({ userId }) => userId),
      status,
    );
  }
  return cardholders.at(-1)?.userId;
}
