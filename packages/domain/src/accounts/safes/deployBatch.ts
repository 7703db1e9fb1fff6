/**
 * Deployments that share a transaction, as enqueues do.
 *
 * Only the operator's own deployments share one. Their code is known, and each is atomic: one that the chain refuses changes
 * nothing and does not stop the others. A Safe that was refused goes alone from then on.
 */
import type { Call } from "@cardkeep/chain/call";
import { CallReverted } from "@cardkeep/chain/errors";
import type { RelayerKey } from "@cardkeep/chain/relayer";
import { buildSharedDeployment } from "@cardkeep/chain/sharedDeployment";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { Db, Executor } from "@cardkeep/db/client";
import { enqueue, enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { type CurrencySafe, hasCurrency, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { listToDeploy, lockFreeSafes } from "@cardkeep/db/queries/accounts/toDeploy";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { type PickRelayer, readLanes } from "../../chain/relay/pickRelayer.ts";
import { sharedDeploymentGasMax } from "../../chain/relay/gasLimits.ts";
import { quoteRelay, signRelayTransaction, steadyMarginPercent } from "../../chain/relay/signRelayTransaction.ts";
import { addressesOf } from "../../core/safeAccount.ts";
import { buildSafeDeployment, findOperatorKey } from "./buildSafeDeployment.ts";
import { signDeployment } from "./signDeployment.ts";

/** Together they cost less than a third of a block on Gnosis Chain, so blocks are filled well. */
const batchMax = 4;
const lookMax = 100;
/** The job that gathers enqueues the next one at once; this is the fallback where it fails to. */
const lookLaterMs = 5_000;
const nothingPresent = { safe: false, delay: false, roles: false, bouncer: false };

/** Whether a Safe may share a transaction. */
export const canShareDeployment = (ctx: WorkerContext, safe: Safe): safe is CurrencySafe =>
  safe.status === "processing" &&
  safe.setUpBy === "operator" &&
  safe.attempts === 0 &&
  hasCurrency(safe) &&
  findOperatorKey(ctx, safe) !== null;

/** The lanes in which a job of this process gathers. Two processes at once do no harm, because rows are locked. */
const gathering = new WeakMap<Db, Set<Address>>();

/** Signs one transaction for the oldest Safes of a lane; the job that gathers already takes this Safe along. */
export async function deployBatch(ctx: WorkerContext, safe: CurrencySafe): Promise<void> {
  const pick = await readLanes(ctx);
  const relayer = pick(safe.id);
  const lanes = gathering.get(ctx.db) ?? new Set();
  gathering.set(ctx.db, lanes);
  if (lanes.has(relayer.address)) return lookLater(ctx.db, safe);
  lanes.add(relayer.address);
  try {
    await deployGathered(ctx, relayer, await gather(ctx, pick, relayer), safe);
  } finally {
    lanes.delete(relayer.address);
  }
  const [next] = await gather(ctx, pick, relayer);
  if (next) await enqueue(ctx.db, "safe.deploy", { safeId: next.id, requestId: next.requestId });
}

const lookLater = (on: Executor, { id: safeId, requestId }: Safe): Promise<void> =>
  enqueueIfNone(on, "safe.deploy", { safeId, requestId }, lookLaterMs);

async function gather(ctx: WorkerContext, pick: PickRelayer, relayer: RelayerKey): Promise<CurrencySafe[]> {
  const waiting = await listToDeploy(ctx.db, { countMax: lookMax });
  return waiting.filter((each) => pick(each.id) === relayer && canShareDeployment(ctx, each)).slice(0, batchMax);
}

interface Traveller {
  safe: CurrencySafe;
  deployment: Call;
}

async function deployGathered(
  ctx: WorkerContext,
  relayer: RelayerKey,
  batch: readonly CurrencySafe[],
  asked: CurrencySafe,
): Promise<void> {
  if (batch.length <= 1) return signDeployment(ctx, asked);
  const parts = await ctx.chain.hasCode(batch.flatMap((safe) => Object.values(addressesOf(safe))));
  const isRefused = parts.includes(true) || !(await signTogether(ctx, relayer, batch, asked));
  if (isRefused) for (const each of batch) await signDeployment(ctx, each);
}

/** False, and nothing is written, where the chain refuses one of them. */
async function signTogether(
  ctx: WorkerContext,
  relayer: RelayerKey,
  batch: readonly CurrencySafe[],
  asked: CurrencySafe,
): Promise<boolean> {
  const travellers = await Promise.all(batch.map((safe) => buildTraveller(ctx, safe)));
  try {
    // With allowFailure the estimate would be too low: a deployment that runs out of gas passes as a tolerated failure.
    const quote = await quoteRelay(ctx, relayer, shareCall(travellers), {
      gasMax: sharedDeploymentGasMax,
      blockTag: "latest",
      marginPercent: steadyMarginPercent,
    });
    await ctx.commit(async (work) => {
      const ids = await lockFreeSafes(
        work.tx,
        batch.map(({ id }) => id),
      );
      const left = new Set((await listToDeploy(work.tx, { ids, countMax: batchMax })).map(({ id }) => id));
      const going = travellers.filter(({ safe }) => left.has(safe.id));
      const [leading, ...others] = going;
      if (leading) {
        const { id: subjectId, requestId } = leading.safe;
        const companions = others.map(({ safe }) => ({ subjectId: safe.id, requestId: safe.requestId }));
        const call = others.length === 0 ? leading.deployment : shareCall(going, { allowFailure: true });
        const input = { purpose: "safe.deploy", subjectId, requestId, companions, relayer, call, quote } as const;
        await signRelayTransaction(ctx, work, { id: generateId(), ...input });
      }
      if (!left.has(asked.id)) await lookLater(work.tx, asked);
    });
    return true;
  } catch (error) {
    if (error instanceof CallReverted) return false;
    throw error;
  }
}

async function buildTraveller(ctx: WorkerContext, safe: CurrencySafe): Promise<Traveller> {
  const operator = findOperatorKey(ctx, safe);
  if (!operator) throw new Error(`No setting names the operator's key ${safe.creator}`);
  return { safe, deployment: await buildSafeDeployment(ctx, safe, operator, nothingPresent) };
}

const shareCall = (travellers: readonly Traveller[], options?: { allowFailure: boolean }): Call =>
  buildSharedDeployment(
    travellers.map(({ safe, deployment }) => ({ addresses: addressesOf(safe), deployment })),
    options,
  );
