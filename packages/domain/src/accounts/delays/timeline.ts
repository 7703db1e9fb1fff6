import { ChainUnavailable } from "@cardkeep/chain/errors";
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { fail } from "@cardkeep/contract/core/errors";
import { isFinalState } from "@cardkeep/contract/core/machine";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { type DelayTransaction, findDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { listEventsAt } from "@cardkeep/db/queries/partners/outbox";
import { listJobsOf } from "@cardkeep/db/queue/inspect";
import { listRelayTransactions } from "@cardkeep/db/queries/chain/relay/bySubject";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import type { Services } from "../../core/services.ts";
import { type Job, readClockLeadMs, showJob } from "../../core/jobs/listJobs.ts";
import { describeOperation, type OperationEffect } from "./describeOperation.ts";
import { buildEntries, type ForeignTransaction, listForeignHashes, type TimelineEntry } from "./timelineEntries.ts";

export interface Timeline {
  operation: Pick<
    DelayTransaction,
    | "id"
    | "status"
    | "userId"
    | "signer"
    | "delayAddress"
    | "messageHash"
    | "requestId"
    | "queueNonce"
    | "readyAt"
    | "expiresAt"
    | "reason"
    | "createdAt"
  > & { safeAddress: Address; effect: OperationEffect };
  /** Position in its Delay module's queue, 0 is next; null where it is not queued or the position is unknown. */
  queue: { position: number; length: number } | null;
  entries: TimelineEntry[];
  /** The jobs that will continue it; none once it has ended. */
  jobs: Job[];
  /** Why the chain's part is missing; null when the node answered every request. */
  chainFault: string | null;
}

const isOpen = ({ status }: DelayTransaction): boolean => !isFinalState(delayMachine, status);

/**
 * The history of an operation, step by step, from its acceptance to its end.
 *
 * Rows show what this service did. Only the chain shows other senders and the queue; without it the rows alone are shown.
 *
 * @throws delays.not_found
 */
export async function timeline(
  ctx: Pick<Services, "db" | "clock" | "chain">,
  { id }: { id: string },
): Promise<Timeline> {
  const item = (await findDelay(ctx.db, id)) ?? fail("delays.not_found");
  const safe = await findSafe(ctx.db, item.safeId);
  if (!safe) throw new Error(`Safe ${item.safeId} has no row`);
  const relayed = await listRelayTransactions(ctx.db, id);
  const events = await listEventsAt(ctx.db, { ...item, at: item.updatedAt });
  const faults: string[] = [];
  const ask = <T>(answer: Promise<T>): Promise<T | null> =>
    answer.catch((error: unknown) => {
      if (!(error instanceof ChainUnavailable)) throw error;
      faults.push(error.message);
      return null;
    });
  const queue = await ask(findPlace(ctx, item));
  const foreign = await ask(findForeignTransactions(ctx, listForeignHashes({ item, relayed })));
  return {
    operation: {
      id,
      status: item.status,
      effect: describeOperation(item, safe.tokenSymbol),
      safeAddress: safe.address,
      delayAddress: item.delayAddress,
      userId: item.userId,
      signer: item.signer,
      messageHash: item.messageHash,
      requestId: item.requestId,
      queueNonce: item.queueNonce,
      readyAt: item.readyAt,
      expiresAt: item.expiresAt,
      reason: item.reason,
      createdAt: item.createdAt,
    },
    queue,
    entries: buildEntries({ item, relayed, events, foreign: foreign ?? new Map() }),
    jobs: isOpen(item)
      ? await listJobs(
          ctx,
          item,
          relayed.map(({ transaction }) => transaction.id),
        )
      : [],
    chainFault: faults[0] ?? null,
  };
}

async function findPlace({ chain }: Pick<Services, "chain">, item: DelayTransaction): Promise<Timeline["queue"]> {
  if (item.queueNonce === null || !isOpen(item)) return null;
  const { txNonce, queueNonce } = await chain.getDelayState(item.delayAddress);
  const position = Number(item.queueNonce - txNonce);
  return position < 0 ? null : { position, length: Number(queueNonce - txNonce) };
}

async function findForeignTransactions(
  { chain }: Pick<Services, "chain">,
  hashes: readonly Hex[],
): Promise<Map<Hex, ForeignTransaction>> {
  const found = await Promise.all(
    hashes.map(async (hash) => {
      const receipt = await chain.findReceipt(hash);
      if (!receipt) return [];
      const block = await chain.getBlockAt(receipt.blockNumber);
      const minedAt = block ? new Date(block.timestamp * 1000) : null;
      return [[hash, { from: receipt.from, minedAt }] as const];
    }),
  );
  return new Map(found.flat());
}

async function listJobs(
  ctx: Pick<Services, "db" | "clock">,
  item: DelayTransaction,
  relayTransactionIds: readonly string[],
): Promise<Job[]> {
  const { db } = ctx;
  const own = await listJobsOf(
    db,
    item.status === "QUEUING"
      ? { tasks: ["delay.relay"], subjectIds: [item.safeId] }
      : { tasks: ["delay.dispatch"], subjectIds: [item.id] },
  );
  const relays = await listJobsOf(db, { tasks: ["relay.broadcast", "relay.confirm"], subjectIds: relayTransactionIds });
  const leadMs = await readClockLeadMs(ctx);
  return [...own, ...relays].map((row) => showJob(row, leadMs));
}
