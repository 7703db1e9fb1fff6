import { ttl } from "@cardkeep/contract/auth";
import type { Db } from "@cardkeep/db/client";
import { listRemovedSignInWallets } from "@cardkeep/db/queries/users";

/** A list of this age is read again in the background. */
const freshMs = 250;
/** A list of this age is read again before the token is checked, so a removal counts after a second at the latest. */
const staleMs = 750;
/** A removal may be committed this long after its instant. */
const lateCommitMs = 30_000;
/** How long a removal is remembered: no token lives longer. */
export const removalsKeptMs = ttl.max * 1000;

/** The sign-in wallets that were removed while tokens of theirs may live, as one process knows them. */
export interface RemovedWallets {
  /** Whether any process removed a wallet a second ago or earlier. Rejects when the database is away. */
  has(walletId: string): Promise<boolean>;
  /** Records a removal by this process at once. */
  add(walletId: string): void;
}

/** Reads the list on demand, at most four times a second however many tokens are checked. */
export function createRemovedWallets(db: Db): RemovedWallets {
  const removedAt = new Map<string, number>();
  // The monotonic clock: the wall clock may be set back.
  let readAtMs = Number.NEGATIVE_INFINITY;
  let readUpTo = new Date(0);
  let reading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    const [startedAtMs, now] = [performance.now(), Date.now()];
    for (const { id, removedAt: at } of await listRemovedSignInWallets(db, readUpTo)) removedAt.set(id, at.getTime());
    for (const [id, at] of removedAt) if (at < now - removalsKeptMs) removedAt.delete(id);
    readUpTo = new Date(now - lateCommitMs);
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
      return removedAt.has(walletId);
    },
    add: (walletId) => void removedAt.set(walletId, Date.now()),
  };
}
