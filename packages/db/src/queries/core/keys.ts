/** What the running processes recorded of their keys. Every instant is the database's: the processes share no other clock. */
import { and, gt, inArray, notInArray, sql } from "drizzle-orm";
import type { Db } from "../../client.ts";
import { settingKeys } from "../../schema/tables.ts";

/** A key that a process holds. `keyId` names it and reveals nothing about it. */
export interface HeldKey {
  readonly setting: string;
  readonly keyId: string;
  /** Whether the process made or accepted anything with it since it recorded this last. */
  readonly isUsed: boolean;
}

/** Condition: a process held a key within the last seconds. */
const isHeld = (withinSeconds: number) => gt(settingKeys.heldAt, sql`now() - make_interval(secs => ${withinSeconds})`);

/** Records the keys that one process holds, and that it lacks those of the same settings that another one held meanwhile. */
export async function recordHeldKeys(db: Db, keys: readonly HeldKey[], withinSeconds: number): Promise<void> {
  if (keys.length === 0) return;
  const now = sql`now()`;
  const rows = keys
    // Processes that record at once take the row locks in one order.
    .toSorted((a, b) => (`${a.setting} ${a.keyId}` < `${b.setting} ${b.keyId}` ? -1 : 1))
    .map(({ setting, keyId, isUsed }) => ({
      setting,
      keyId,
      firstSeenAt: now,
      heldAt: now,
      usedAt: isUsed ? now : null,
    }));
  await db
    .insert(settingKeys)
    .values(rows)
    .onConflictDoUpdate({
      target: [settingKeys.setting, settingKeys.keyId],
      set: { heldAt: now, usedAt: sql`coalesce(excluded.used_at, ${settingKeys.usedAt})` },
    });
  const name = sql`${settingKeys.setting} || ' ' || ${settingKeys.keyId}`;
  await db
    .update(settingKeys)
    .set({ lackedAt: now })
    .where(
      and(
        inArray(settingKeys.setting, [...new Set(keys.map(({ setting }) => setting))]),
        notInArray(
          name,
          keys.map(({ setting, keyId }) => `${setting} ${keyId}`),
        ),
        isHeld(withinSeconds),
      ),
    );
}

/** What is known of a key, in seconds before now. */
export interface KeyAge {
  readonly setting: string;
  readonly keyId: string;
  readonly firstSeenAt: Date;
  readonly heldSeconds: number;
  /** Null: never. */
  readonly usedSeconds: number | null;
  readonly lackedSeconds: number | null;
  readonly firstSeenSeconds: number;
}

/** The keys that a process held within the last seconds, by setting, the oldest first. */
export async function listKeyAges(db: Db, withinSeconds: number): Promise<KeyAge[]> {
  const since = (column: unknown) => sql<number>`extract(epoch from now() - ${column})::float8`;
  const sinceOrNull = (column: unknown) => sql<number | null>`extract(epoch from now() - ${column})::float8`;
  return db
    .select({
      setting: settingKeys.setting,
      keyId: settingKeys.keyId,
      firstSeenAt: settingKeys.firstSeenAt,
      heldSeconds: since(settingKeys.heldAt),
      usedSeconds: sinceOrNull(settingKeys.usedAt),
      lackedSeconds: sinceOrNull(settingKeys.lackedAt),
      firstSeenSeconds: since(settingKeys.firstSeenAt),
    })
    .from(settingKeys)
    .where(isHeld(withinSeconds))
    .orderBy(settingKeys.setting, settingKeys.firstSeenAt, settingKeys.keyId);
}
