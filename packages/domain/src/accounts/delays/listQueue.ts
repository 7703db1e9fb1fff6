/** The queue of a Safe's Delay module around one operation, as rows know it. */
import { fail } from "@cardkeep/contract/core/errors";
import { findDelay } from "@cardkeep/db/queries/accounts/delays/delays";
import { listDelaysWithin, listOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import type { Services } from "../../core/services.ts";
import { describePlace, findFirstQueued, isFinal, type QueuedOperation } from "./queuedOperation.ts";

/** Ended operations of so long before and after are shown, to see what an operation waited for. */
const aroundMs = 30 * 60_000;
const rowsMax = 12;

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
  const head = findFirstQueued(allOpen);
  const rows = [...byId.values()].toSorted((a, b) => Number(a.sequence - b.sequence));
  return {
    now,
    operations: rows.map((row) => describePlace(row, safe, row.id === head)),
  };
}
