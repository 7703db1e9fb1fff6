/** The second half of a deployment: records what the chain has of it. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { listRelaySubjects, type RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import { findSafe, noteDeploymentBlock, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { type WorkerContext, writeNothing, type WriteStep } from "../../core/context.ts";
import { isAccountWhole } from "./getDeployment.ts";
import { advance, retryOrGiveUp } from "./moveDeployment.ts";
import { lookAgain, readSetUp, type SeenSetUp, settleSetUp } from "./settleSetUp.ts";

/** Settles every Safe of a mined transaction by itself: the chain has what it should bring, or it is tried again. */
export async function settleDeployment(
  ctx: WorkerContext,
  transaction: RelayTransaction,
  receipt: ChainReceipt,
): Promise<WriteStep> {
  const subjects = await listRelaySubjects(ctx.db, transaction.id);
  const mined = { transaction, receipt };
  const writes = await Promise.all(subjects.map(({ subjectId }) => settleSafe(ctx, subjectId, mined)));
  return async (work) => {
    if (receipt.status === "success")
      for (const { subjectId } of subjects) await noteDeploymentBlock(work.tx, subjectId, receipt.blockNumber);
    for (const write of writes) await write(work);
  };
}

async function settleSafe(
  ctx: WorkerContext,
  safeId: string,
  mined: { transaction: RelayTransaction; receipt: ChainReceipt },
): Promise<WriteStep> {
  const safe = await findSafe(ctx.db, safeId);
  if (safe?.status === "settingUp") {
    // Someone else created the Safe before ours was mined: its set-up waited for that.
    return mined.transaction.purpose === "safe.setUp" ? settleSetUp(ctx, safe, mined) : lookAgain(safe);
  }
  if (safe?.status !== "processing") return writeNothing;
  const write = await settleIfDeployed(ctx, safe);
  if (write) return write;
  const head = await ctx.chain.getBlock();
  if (head.number < mined.receipt.blockNumber) throw new ChainUnavailable("The node is behind a mined deployment");
  return (work) => retryOrGiveUp(work, safe, "The transaction was mined and changed nothing");
}

/**
 * The writes that move the Safe on where the chain has what it waits for, by any transaction, or shows that a set-up is void; null
 * while it does neither.
 *
 * @throws NodeBehind, ChainUnavailable
 */
export async function settleIfDeployed(
  ctx: WorkerContext,
  safe: Safe,
  seen: SeenSetUp = { logs: [], blockNumber: 0n },
): Promise<WriteStep | null> {
  if (safe.status === "settingUp") return (await readSetUp(ctx, safe, seen))?.write ?? null;
  if (safe.setUpBy === "user") {
    const [isCreated] = await ctx.chain.hasCode([safe.address]);
    const created = { status: "created", published: ["safe.created"] } as const;
    return isCreated ? (work) => advance(ctx, work, safe, created) : null;
  }
  const published = ["safe.created", "safe.currency.updated", "safe.modules.deployed"] as const;
  return (await isAccountWhole(ctx, safe)) ? (work) => advance(ctx, work, safe, { status: "ok", published }) : null;
}
