/** The second half of a deployment: records what the chain has of it. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainLog, ChainReceipt } from "@cardkeep/chain/log";
import { isSafeSuccess, safeSuccessTopics } from "@cardkeep/chain/safeTransaction";
import type { SafeStatus } from "@cardkeep/contract/accounts/safes";
import { hourMs } from "@cardkeep/contract/core/durations";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { listViolations } from "@cardkeep/db/queries/accounts/integrity";
import { listRelaySubjects, type RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import {
  findDeploymentBlock,
  noteDeploymentBlock,
  findSafe,
  lockSafe,
  moveSafe,
  type Safe,
  updateSafe,
} from "@cardkeep/db/queries/accounts/safes";
import { requireFollowed } from "../../chain/guards/readHead.ts";
import { type Work, type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { saltOf } from "../../core/safeAccount.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";
import { hasApprovedBefore } from "./approvedBefore.ts";
import { isAccountWhole } from "./getDeployment.ts";

type SafeEvent = "safe.created" | "safe.currency.updated" | "safe.modules.deployed";

/** Strangers who deploy the four contracts just before us make four of our transactions fail, and no more. */
const attemptsMax = 6;
const approvedReason = "It let another account move its tokens before its set-up";
/** After this a node that lags behind has caught up. */
const againMs = 5_000;

/** Settles every Safe of a mined transaction by itself: the chain has what it should bring, or it is tried again. */
export async function settleDeployment(
  ctx: WorkerContext,
  { id }: RelayTransaction,
  receipt: ChainReceipt,
): Promise<WriteStep> {
  const subjects = await listRelaySubjects(ctx.db, id);
  const writes = await Promise.all(subjects.map(({ subjectId }) => settleSafe(ctx, subjectId, receipt)));
  return async (work) => {
    if (receipt.status === "success")
      for (const { subjectId } of subjects) await noteDeploymentBlock(work.tx, subjectId, receipt.blockNumber);
    for (const write of writes) await write(work);
  };
}

async function settleSafe(ctx: WorkerContext, safeId: string, receipt: ChainReceipt): Promise<WriteStep> {
  const safe = await findSafe(ctx.db, safeId);
  if (safe?.status !== "processing" && safe?.status !== "settingUp") return writeNothing;
  const write = await settleIfDeployed(ctx, safe, receipt);
  if (write) return write;
  const head = await ctx.chain.getBlock();
  if (head.number < receipt.blockNumber) throw new ChainUnavailable("The node is behind a mined deployment");
  return (work) => retryOrGiveUp(work, safe, "The transaction was mined and changed nothing");
}

/**
 * The writes that move the Safe on where the chain has what it waits for, by any transaction; null while it has not. `logs` of
 * a mined transaction of ours show its set-up also where the node that is asked now is behind.
 *
 * @param seen.blockNumber in which our transaction was mined or refused: the state before it says nothing
 * @throws NodeBehind
 */
export async function settleIfDeployed(
  ctx: WorkerContext,
  safe: Safe,
  { logs, blockNumber }: { logs: readonly ChainLog[]; blockNumber: bigint } = { logs: [], blockNumber: 0n },
): Promise<WriteStep | null> {
  if (safe.status === "settingUp") {
    const ran = findSetUpLog(safe, logs) ?? (await findRunSetUp(ctx, safe, blockNumber));
    if (!ran) return null;
    if (await hasApprovedBefore(ctx, safe, ran.blockNumber)) return (work) => retryOrGiveUp(work, safe, approvedReason);
    // One that its owner changed at once is in service too: its cards decline, and its owner may reset it.
    const isSettled = (await isAccountWhole(ctx, safe)) || (await listViolations(ctx.db, safe.id)).length > 0;
    if (isSettled) return (work) => advance(ctx, work, safe, "ok", ["safe.modules.deployed"]);
    const { id: safeId, requestId, updatedAt } = safe;
    return ({ tx, now }) => {
      const delayMs = spaceLooks(now.getTime() - updatedAt.getTime(), { minMs: againMs, maxMs: hourMs });
      return enqueue(tx, "safe.deploy", { safeId, requestId }, delayMs);
    };
  }
  if (safe.setUpBy === "user") {
    const [isCreated] = await ctx.chain.hasCode([safe.address]);
    return isCreated ? (work) => advance(ctx, work, safe, "created", ["safe.created"]) : null;
  }
  const published: SafeEvent[] = ["safe.created", "safe.currency.updated", "safe.modules.deployed"];
  return (await isAccountWhole(ctx, safe)) ? (work) => advance(ctx, work, safe, "ok", published) : null;
}

/**
 * Another try of a deployment that the chain refused, until there were too many.
 *
 * A set-up that its owner signed fits one state of the chain: refused once it is void, and the owner signs another. One that
 * ran after an approval of the Safe is of no use either: its owner resets the Safe.
 */
export async function retryOrGiveUp({ tx, now }: Work, safe: Safe, reason: string): Promise<void> {
  const locked = await lockSafe(tx, safe.id);
  if (locked?.status !== safe.status) return;
  if (locked.status === "settingUp") {
    await moveSafe(tx, safe.id, "created", { reason, setUpHash: null, setUpData: null, updatedAt: now });
    return;
  }
  const attempts = locked.attempts + 1;
  if (attempts >= attemptsMax) {
    await moveSafe(tx, safe.id, "failed", { attempts, reason, updatedAt: now });
  } else {
    await updateSafe(tx, safe.id, { attempts, reason, updatedAt: now });
    const { id: safeId, requestId } = safe;
    await enqueue(tx, "safe.deploy", { safeId, requestId }, 1000 * 2 ** locked.attempts);
  }
}

const findSetUpLog = ({ address: safe, setUpHash: hash }: Safe, logs: readonly ChainLog[]): ChainLog | undefined =>
  hash === null ? undefined : logs.find((log) => isSafeSuccess(log, { safe, hash }));

/** The Safe's log of the transaction that the owner signed, sent by anyone. */
async function findRunSetUp(ctx: WorkerContext, safe: Safe, since: bigint): Promise<ChainLog | undefined> {
  const { id, address, setUpHash } = safe;
  const head = await requireFollowed(ctx, since);
  // At this block, because the next call may reach another node.
  if (!setUpHash || (await ctx.chain.getSafeNonce(address, head.number)) === 0n) return undefined;
  const logs = await ctx.chain.getLogs({
    addresses: [address],
    topics: safeSuccessTopics,
    fromBlock: await findDeploymentBlock(ctx.db, id),
    toBlock: head.number,
  });
  return findSetUpLog(safe, logs);
}

async function advance(
  ctx: WorkerContext,
  work: Work,
  safe: Safe,
  status: SafeStatus,
  published: readonly SafeEvent[],
): Promise<void> {
  // Another commit may have moved the Safe on since the chain was read.
  if ((await lockSafe(work.tx, safe.id))?.status !== safe.status) return;
  const moved = await moveSafe(work.tx, safe.id, status, { reason: null, updatedAt: work.now });
  if (!moved) return;
  // A reorganisation took the creation back behind a set-up that was signed already: that goes on from here.
  if (status === "created" && moved.setUpData) {
    await moveSafe(work.tx, safe.id, "settingUp", { updatedAt: work.now });
    await enqueue(work.tx, "safe.deploy", { safeId: safe.id, requestId: safe.requestId });
  }
  const data = { ...moved, salt: saltOf(moved), chainId: String(ctx.policy.chainId) };
  // Safes that share a transaction go back to different requests.
  const own = { ...work, requestId: moved.requestId };
  for (const eventType of published) await publish(own, eventType, moved.userId, data);
}
