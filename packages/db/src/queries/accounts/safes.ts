/** Safes. */
import { listOrigins } from "@cardkeep/contract/core/machine";
import type { Address } from "@cardkeep/contract/core/primitives";
import { safeMachine, type SafeStatus } from "@cardkeep/contract/accounts/safes";
import { and, desc, eq, gt, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import { isAmong } from "../../many.ts";
import { prepareRow, prepareRows } from "../../rows.ts";
import { isOneOf } from "../../schema/columns.ts";
import { safes, publishedBalances } from "../../schema/tables.ts";
import { hasReceivers } from "../partners/outbox.ts";

export type Safe = typeof safes.$inferSelect;

/** A Safe whose currency is set; every Safe in service is one. */
export type CurrencySafe = Safe & { tokenSymbol: NonNullable<Safe["tokenSymbol"]>; dailyLimit: bigint };

export const hasCurrency = (safe: Safe): safe is CurrencySafe => safe.tokenSymbol !== null && safe.dailyLimit !== null;

/** The user's newest Safe in any status but `reset`. */
export const findNewestSafe = (on: Executor, userId: string): Promise<Safe | null> => selectNewest(on, { userId });

const selectNewest = prepareRow<"userId", typeof safes>(
  safes,
  sql`where ${safes.userId} = ${sql.placeholder("userId")} and ${safes.status} <> 'reset' order by ${safes.createdAt} desc limit 1`,
);

/** Every Safe a user ever had, newest first. */
export const listSafes = (on: Executor, userId: string): Promise<Safe[]> => selectAll(on, { userId });

const selectAll = prepareRows<"userId", typeof safes>(
  safes,
  sql`where ${safes.userId} = ${sql.placeholder("userId")} order by ${safes.createdAt} desc`,
);

/** When the Safes were opened that a user opened after an instant, the newest first. */
export async function listOpenings(on: Executor, userId: string, since: Date): Promise<Date[]> {
  const rows = await on
    .select({ createdAt: safes.createdAt })
    .from(safes)
    .where(and(eq(safes.userId, userId), gt(safes.createdAt, since)))
    .orderBy(desc(safes.createdAt));
  return rows.map(({ createdAt }) => createdAt);
}

/** The Safe that its user gave up last. */
export async function findResetSafe(on: Executor, userId: string): Promise<Safe | null> {
  const [row] = await on
    .select()
    .from(safes)
    .where(and(eq(safes.userId, userId), eq(safes.status, "reset")))
    .orderBy(desc(safes.updatedAt))
    .limit(1);
  return row ?? null;
}

/** The user's Safe that is on chain, set up or not. */
export async function findDeployedSafe(on: Executor, userId: string): Promise<Safe | null> {
  const [row] = await selectDeployed(on, { userId });
  return row ?? null;
}

const selectDeployed = prepareRows<"userId", typeof safes>(
  safes,
  sql`where ${safes.userId} = ${sql.placeholder("userId")} and ${isOneOf(safes.status, ["created", "settingUp", "ok"])} limit 1`,
);

/** The user's Safe that is set up and in service. */
export async function findActiveSafe(on: Executor, userId: string): Promise<CurrencySafe | null> {
  const safe = await findDeployedSafe(on, userId);
  return safe?.status === "ok" && hasCurrency(safe) ? safe : null;
}

/** Those of some addresses, however many, that are Delay modules of Safes in any status. */
export async function keepDelayModules(on: Executor, addresses: readonly Address[]): Promise<Address[]> {
  const rows = await on
    .select({ address: safes.delayAddress })
    .from(safes)
    .where(isAmong(safes.delayAddress, addresses));
  return rows.map(({ address }) => address);
}

/** The Delay modules of all Safes in any status. */
export async function listAllDelayModules(on: Executor): Promise<Address[]> {
  const rows = await on.select({ address: safes.delayAddress }).from(safes);
  return rows.map(({ address }) => address);
}

/** Those of some addresses that are Delay modules of Safes in service. */
export async function listDelayModules(on: Executor, addresses: readonly Address[]): Promise<Address[]> {
  const rows = await on
    .select({ address: safes.delayAddress })
    .from(safes)
    .where(and(isAmong(safes.delayAddress, addresses), eq(safes.status, "ok")));
  return rows.map(({ address }) => address);
}

/** The Safe at an address, in any status. */
export async function findSafeByAddress(on: Executor, address: Address): Promise<Safe | null> {
  const [row] = await on.select().from(safes).where(eq(safes.address, address)).limit(1);
  return row ?? null;
}

export const findSafe = (on: Executor, id: string): Promise<Safe | null> => selectSafe(on, { id });

const isThisSafe = sql`where ${safes.id} = ${sql.placeholder("id")}`;
const selectSafe = prepareRow<"id", typeof safes>(safes, isThisSafe);

/** Takes the Safe's row lock. Its holder decides the order of the Safe's operations. */
export const lockSafe = (tx: Tx, id: string): Promise<Safe | null> => selectLocked(tx, { id });

const selectLocked = prepareRow<"id", typeof safes>(safes, sql`${isThisSafe} for no key update`);

/** Takes the row locks of several Safes, in the order of their ids. */
export async function lockSafes(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of [...new Set(ids)].toSorted()) await lockSafe(tx, id);
}

/** Inserts a Safe unless the user has a live one; false then. */
export async function insertSafe(tx: Tx, row: typeof safes.$inferInsert): Promise<boolean> {
  const inserted = await tx.insert(safes).values(row).onConflictDoNothing().returning({ id: safes.id });
  return inserted.length === 1;
}

type SafeChange = Omit<Partial<typeof safes.$inferInsert>, "id" | "status">;

/** A block up to the one in which this service deployed a Safe; 0 when another account did. */
export async function findDeploymentBlock(on: Executor, id: string): Promise<bigint> {
  const [row] = await on.select({ deployedBlock: safes.deployedBlock }).from(safes).where(eq(safes.id, id));
  return row?.deployedBlock ?? 0n;
}

/** Keeps that a transaction of this service's deployment of a Safe is in a block; the lowest one stays. */
export async function noteDeploymentBlock(tx: Tx, id: string, block: bigint): Promise<void> {
  await tx
    .update(safes)
    .set({ deployedBlock: sql`least(${safes.deployedBlock}, ${block})` })
    .where(eq(safes.id, id));
}

export async function updateSafe(tx: Tx, id: string, change: SafeChange): Promise<void> {
  await tx.update(safes).set(change).where(eq(safes.id, id));
}

/** Moves a Safe on; null when it is in no state any more from which the machine's table lets it go there. */
export async function moveSafe(tx: Tx, id: string, to: SafeStatus, change: SafeChange): Promise<Safe | null> {
  const [row] = await tx
    .update(safes)
    .set({ ...change, status: to })
    .where(and(eq(safes.id, id), inArray(safes.status, listOrigins(safeMachine, to))))
    .returning();
  return row ?? null;
}

/** Which Safes' balances are looked at: those of these ids, addresses or user. */
export type BalancesLookedAt = { ids: readonly string[] } | { addresses: readonly Address[] } | { userId: string };

/** SQL that selects the ids of Safes in service whose users have receivers of their events, as `subject`. */
export function selectReceivedSafes(which: BalancesLookedAt): SQL {
  return sql`
    select ${safes.id} as subject from ${safes}
    where ${isMeant(which)} and ${isOneOf(safes.status, ["ok"])} and ${hasReceivers(sql`${safes.userId}`)}`;
}

function isMeant(which: BalancesLookedAt): SQL {
  if ("userId" in which) return eq(safes.userId, which.userId);
  return "ids" in which ? isAmong(safes.id, which.ids) : isAmong(safes.address, which.addresses);
}

/** The next Safes behind an id of which a balance was published, in the order of their ids. */
export async function listPublishedSafes(on: Executor, after: string, limit: number): Promise<string[]> {
  const next = on.select({ safeId: publishedBalances.safeId }).from(publishedBalances);
  const rows = await next.where(gt(publishedBalances.safeId, after)).orderBy(publishedBalances.safeId).limit(limit);
  return rows.map(({ safeId }) => safeId);
}

/** Whether a balance of this Safe was published before. */
export async function hasPublishedBalance(on: Executor, safeId: string): Promise<boolean> {
  const rows = await on
    .select({ safeId: publishedBalances.safeId })
    .from(publishedBalances)
    .where(eq(publishedBalances.safeId, safeId))
    .limit(1);
  return rows.length === 1;
}

/** Writes the balance that is being published. False when it equals the balance published last. */
export async function setPublishedBalance(
  tx: Tx,
  { safeId, total, pending, publishedAt }: typeof publishedBalances.$inferInsert,
): Promise<boolean> {
  const rows = await tx
    .insert(publishedBalances)
    .values({ safeId, total, pending, publishedAt })
    .onConflictDoUpdate({
      target: publishedBalances.safeId,
      set: { total, pending, publishedAt },
      setWhere: sql`${ne(publishedBalances.total, total)} or ${ne(publishedBalances.pending, pending)}`,
    })
    .returning({ safeId: publishedBalances.safeId });
  return rows.length === 1;
}
