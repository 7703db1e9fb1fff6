import {
  findNewestReconciliation,
  insertReconciliation,
  lockReconciliations,
} from "@cardkeep/db/queries/sync/reconciliations";
import { isSameIdentity, readDatabaseIdentity } from "@cardkeep/db/queries/core/databaseIdentity";
import type { ReconciliationReason } from "@cardkeep/db/schema/sync/reconciliations";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Context, Work } from "../../core/context.ts";
import { readSharedTime } from "../../core/databaseTime.ts";
import { generateId } from "../../core/generateId.ts";

/** What several workers notice within this time is one cause. */
const againMs = 600_000;

/** How much each reason reads and holds back: the daily one compares the least, a restored database the most. */
const extents: Readonly<Record<ReconciliationReason, number>> = { first: 0, daily: 0, operator: 1, restored: 2 };

/** Whether one that looks back to `open` compares all that one to `asked` would; null is the beginning. */
const reaches = (open: bigint | null, asked: bigint | null): boolean =>
  open === null || (asked !== null && open <= asked);

/**
 * Begins a reconciliation in the caller's commit, unless one that does as much and looks back as far is under way, or has just
 * begun for the same evidence.
 *
 * @returns its id, or that of the one under way
 */
export async function beginReconciliation(
  ctx: Pick<Context, "log" | "clock">,
  { tx, now, requestId }: Pick<Work, "tx" | "now" | "requestId">,
  { reason, evidence, fromBlock }: { reason: ReconciliationReason; evidence: string | null; fromBlock: bigint | null },
): Promise<string> {
  await lockReconciliations(tx);
  const newest = await findNewestReconciliation(tx);
  const present = await readDatabaseIdentity(tx);
  const isSame = newest !== null && isSameIdentity(newest.databaseIdentity, present);
  const isOpen = isSame && newest.endedAt === null;
  if (isOpen && extents[newest.reason] >= extents[reason] && reaches(newest.fromBlock, fromBlock)) return newest.id;
  const isRecent = newest !== null && now.getTime() - newest.startedAt.getTime() < againMs;
  if (newest && isSame && isRecent && newest.reason === reason && reason !== "operator") return newest.id;
  const id = generateId();
  const isFirst = reason === "first";
  // Decisions measure its age by the database's clock.
  const startedAt = await readSharedTime(ctx, tx);
  await insertReconciliation(tx, {
    id,
    reason,
    evidence,
    databaseIdentity: present.identity,
    fromBlock,
    requestId,
    startedAt,
    endedAt: isFirst ? startedAt : null,
  });
  if (isFirst) return id;
  if (evidence !== null)
    ctx.log.warn({ reconciliationId: id, evidence }, "the database may have gone back: a reconciliation begins");
  await enqueue(tx, "database.reconcile", { reconciliationId: id, requestId });
  return id;
}
