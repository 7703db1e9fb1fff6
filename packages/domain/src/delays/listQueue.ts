/** The queue of a Safe's Delay module around one operation, as rows know it. */
import { delayMachine } from "@cardkeep/contract/delays";
import { fail } from "@cardkeep/contract/errors";
import { listFinalStates } from "@cardkeep/contract/machine";
import { type DelayTransaction, findDelay } from "@cardkeep/db/queries/delays/delays";
import { listDelaysWithin, listOpenDelays } from "@cardkeep/db/queries/delays/lists";
import { findSafe } from "@cardkeep/db/queries/safes";
import type { Services } from "../services.ts";
import { describeOperation, type OperationEffect } from "./describeOperation.ts";

/** Ended operations of so long before and after are shown, to see what an operation waited for. */
const aroundMs = 30 * 60_000;
const rowsMax = 12;

/** One operation of the queue; each instant is null before it, or where it never came. */
export interface QueuedOperation extends Pick<DelayTransaction, "id" | "status" | "queueNonce" | "reason"> {
  effect: OperationEffect;
  acceptedAt: Date;
  /** Its enqueue is mined, and the cooldown begins. */
  queuedAt: Date | null;
  /** The cooldown is over. */
  readyAt: Date | null;
  /** By then it must be executed. */
  expiresAt: Date | null;
  endedAt: Date | null;
  /** The contract executes no other one before it. */
  isHead: boolean;
}

const isFinal = ({ status }: DelayTransaction): boolean => listFinalStates(delayMachine).includes(status);

function findHead(rows: readonly DelayTransaction[]): string | null {
  const queued = rows.filter((row) => row.queueNonce !== null && !isFinal(row));
  const [first] = queued.toSorted((a, b) => Number((a.queueNonce ?? 0n) - (b.queueNonce ?? 0n)));
  return first?.id ?? null;
}

/**
 * The open operations of an operation's Safe and those accepted at about the same time, in the order of their acceptance, and
 * the present instant.
 *
 * @throws delays.not_found
 */
export async function listQueue(
  { db, clock }: Pick<Services, "db" | "clock">,
  { id }: { id: string },
): Promise<{ now: Date; operations: QueuedOperation[] }> {
  const item = (await findDelay(db, id)) ?? fail("delays.not_found");
  const safe = await findSafe(db, item.safeId);
  if (!safe) throw new Error(`Safe ${item.safeId} has no row`);
  const around = {
    from: new Date(item.createdAt.getTime() - aroundMs),
    until: new Date(item.createdAt.getTime() + aroundMs),
    limit: rowsMax,
  };
  const [allOpen, near, now] = await Promise.all([
    listOpenDelays(db, safe.id),
    listDelaysWithin(db, { safeId: safe.id, ...around }),
    clock.now(db),
  ]);
  // Beside one that ended long ago, the present queue says nothing.
  const open = isFinal(item) ? [] : allOpen;
  const byId = new Map([item, ...open.slice(0, rowsMax), ...near].map((row) => [row.id, row]));
  const head = findHead(allOpen);
  const rows = [...byId.values()].toSorted((a, b) => Number(a.sequence - b.sequence));
  return {
    now,
    operations: rows.map((row) => ({
      id: row.id,
      status: row.status,
      queueNonce: row.queueNonce,
      reason: row.reason,
      effect: describeOperation(row, safe.tokenSymbol),
      acceptedAt: row.createdAt,
      queuedAt: row.readyAt && new Date(row.readyAt.getTime() - safe.cooldownSeconds * 1000),
      readyAt: row.readyAt,
      expiresAt: row.expiresAt,
      endedAt: isFinal(row) ? row.updatedAt : null,
      isHead: row.id === head,
    })),
  };
}
