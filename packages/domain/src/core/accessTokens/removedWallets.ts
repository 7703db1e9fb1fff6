import { hourMs, secondMs } from "@cardkeep/contract/core/durations";
import { ttl } from "@cardkeep/contract/users/auth";
import type { Db } from "@cardkeep/db/client";
import { listRemovedSignInWallets } from "@cardkeep/db/queries/users/removedWallets";
import { machineSkewMs } from "../clockSkew.ts";

/** A list of this age is read again in the background. */
const freshMs = 250;
/** A list of this age is read again before the token is checked, so a removal counts after a second at the latest. */
const staleMs = 750;
/** A removal may be committed this long after its instant, also where the list of transactions does not show it. */
const lateCommitMs = 30_000;
/** And this long where it shows it, as behind a standby that hangs. An older transaction makes no read longer. */
const latestCommitMs = hourMs;
/** How long a removal is remembered: no token lives longer. Its end is by the clock of another server than the one that accepts it. */
export const removalsKeptMs = ttl.max * secondMs + machineSkewMs;

/** The sign-in wallets that were removed while tokens of theirs may live, as one process knows them. */
export interface RemovedWallets {
  /** Whether any process removed a wallet a second ago or earlier. Rejects when the database is away. */
  has(walletId: string): Promise<boolean>;
  /** Records a removal by this process at once. */
  add(walletId: string): void;
}

/** Reads the list on demand, at most four times a second however many tokens are checked. */
export function createRemovedWallets(
  db: Db,
  { lateMs }: { lateMs: number } = { lateMs: lateCommitMs },
): RemovedWallets {
  // By the monotonic clock, like `readAtMs`: the wall clock may be set back.
  const seenAtMs = new Map<string, number>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let readUpToMs: number | null = null;
  let reading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    const startedAtMs = performance.now();
    const found = await listRemovedSignInWallets(db, readUpToMs);
    for (const id of found.ids) seenAtMs.set(id, startedAtMs);
    // The oldest ones come first: no read walks the whole list.
    for (const [id, seenMs] of seenAtMs) {
      if (seenMs >= startedAtMs - removalsKeptMs) break;
      seenAtMs.delete(id);
    }
    const beforeAllMs = Math.min(found.readAtMs - lateMs, found.oldestStartMs ?? Number.POSITIVE_INFINITY);
    readUpToMs = Math.max(beforeAllMs, found.readAtMs - latestCommitMs);
    readAtMs = startedAtMs;
  };
  const readOnce = (): Promise<void> =>
    (reading ??= read().finally(() => {
      reading = null;
    }));

  return {
    has: async (walletId) => {
      const ageMs = performance.now() - readAtMs;
      if (ageMs > staleMs) await readOnce();
      else if (ageMs > freshMs)
        readOnce().catch(() => {
          // A failed read leaves the list as old as it was; once it is stale, `has` reads it again and rejects.
        });
      return seenAtMs.has(walletId);
    },
    add: (walletId) => void seenAtMs.set(walletId, performance.now()),
  };
}
