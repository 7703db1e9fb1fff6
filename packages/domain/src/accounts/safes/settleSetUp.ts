/** Settles the set-up of the older way: whether it ran, and whether it was the first thing that its Safe ever did. */
import { ChainUnavailable } from "@cardkeep/chain/errors";
import type { ChainLog, ChainReceipt } from "@cardkeep/chain/log";
import { isSafeSuccess } from "@cardkeep/chain/safeTransaction";
import { hourMs } from "@cardkeep/contract/core/durations";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { listViolations } from "@cardkeep/db/queries/accounts/integrity";
import type { RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { requireFollowed } from "../../chain/guards/readHead.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import { countReverted } from "../../chain/relay/countReverted.ts";
import type { WorkerContext, WriteStep } from "../../core/context.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";
import { inTurn, settleOr } from "../delays/settleOr.ts";
import { hasApprovedBefore } from "./approvedBefore.ts";
import { isAccountWhole } from "./getDeployment.ts";
import { advance, retryOrGiveUp } from "./moveDeployment.ts";
import { readSetUpHistory, usedReason } from "./setUpHistory.ts";

const approvedReason = "It let another account move its tokens before its set-up";
/** After this a node that lags behind has caught up. */
const againMs = 5_000;

/** `logs` of a mined transaction of ours; the state of the chain before `blockNumber` says nothing of it. */
export interface SeenSetUp {
  logs: readonly ChainLog[];
  blockNumber: bigint;
}

/** What the chain has of a set-up; `isVoid` where it can never bring its Safe into service. */
interface SetUpState {
  write: WriteStep;
  isVoid: boolean;
}

/**
 * Settles a set-up of ours that was mined. Its owner has the Safe until it runs, and what the Safe does: so the transaction ends even
 * while the chain does not show what came of it, and its gas counts where the set-up is void.
 */
export async function settleSetUp(
  ctx: WorkerContext,
  safe: Safe,
  { transaction, receipt }: { transaction: Pick<RelayTransaction, "id">; receipt: ChainReceipt },
): Promise<WriteStep> {
  const { id, userId } = safe;
  const count = countReverted({ id, safeId: id, userId }, { transaction, receipt, sharers: 1 });
  // Code that its owner put in the Safe's place may burn the gas and return.
  const later = hasSetUpLog(safe, receipt.logs) ? lookAgain(safe) : inTurn(count, lookAgain(safe));
  return settleOr(async () => {
    const state = await readSetUp(ctx, safe, receipt);
    const { write, isVoid } = state ?? {
      write: giveUp(safe, "The transaction was mined and changed nothing"),
      isVoid: true,
    };
    return isVoid ? inTurn(count, write) : write;
  }, later);
}

/**
 * What the chain has of a set-up, by any transaction; null while it has not run and still can.
 *
 * @throws NodeBehind; ChainUnavailable, also where the node lacks the Safe's history
 */
export async function readSetUp(
  ctx: WorkerContext,
  safe: Safe,
  { logs, blockNumber }: SeenSetUp,
): Promise<SetUpState | null> {
  const head = await requireFollowed(ctx, blockNumber);
  const { own, other } = await readSetUpHistory(ctx, safe, { upTo: head.number });
  if (other) return { write: giveUp(safe, usedReason), isVoid: true };
  if (!own) {
    if (hasSetUpLog(safe, logs)) throw new ChainUnavailable("The node lacks the log of a set-up that was mined");
    return null;
  }
  if (await hasApprovedBefore(ctx, safe, { upTo: own.blockNumber }))
    return { write: giveUp(safe, approvedReason), isVoid: true };
  // One that its owner changed at once is in service too: its cards decline, and its owner may reset it.
  const isSettled = (await listViolations(ctx.db, safe.id)).length > 0 || (await isAccountWhole(ctx, safe));
  const done = { status: "ok", published: ["safe.modules.deployed"], setUpBlock: own.blockNumber } as const;
  const settle: WriteStep = (work) => {
    // A stranger may have sent it: no transaction of ours rests on its block.
    restOn(work, own);
    return advance(ctx, work, safe, done);
  };
  return { write: isSettled ? settle : lookAgain(safe), isVoid: false };
}

const giveUp =
  (safe: Safe, reason: string): WriteStep =>
  (work) =>
    retryOrGiveUp(work, safe, reason);

/** The write that has the Safe's own job look at it, the less often the longer it has waited. */
export const lookAgain =
  ({ id: safeId, requestId, updatedAt }: Safe): WriteStep =>
  ({ tx, now }) => {
    const delayMs = spaceLooks(now.getTime() - updatedAt.getTime(), { minMs: againMs, maxMs: hourMs });
    return enqueue(tx, "safe.deploy", { safeId, requestId }, delayMs);
  };

const hasSetUpLog = ({ address: safe, setUpHash: hash }: Safe, logs: readonly ChainLog[]): boolean =>
  hash !== null && logs.some((log) => isSafeSuccess(log, { safe, hash }));
