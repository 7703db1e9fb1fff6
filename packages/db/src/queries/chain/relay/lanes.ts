/** Relayer lanes: their nonces, and which job gathers in them. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, eq, gt, gte, lt, lte, min, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../../client.ts";
import { enqueueAll } from "../../../queue/enqueue.ts";
import type { LaneState } from "@cardkeep/contract/chain/lanes";
import { openRelays, relayers } from "../../../schema/tables.ts";

/** How far the chain is ahead of a lane that was used: so many nonces were used without this service. */
const foreignNonces = (chainNonce: bigint) =>
  sql`case when ${relayers.nextNonce} > 0 then greatest(${chainNonce} - ${relayers.nextNonce}, 0) else 0 end`;

const foreignChange = (chainNonce: bigint, now: Date) => ({
  foreignCount: sql`${relayers.foreignCount} + ${foreignNonces(chainNonce)}`,
  foreignSeenAt: sql`case when ${foreignNonces(chainNonce)} > 0 then ${now.toISOString()}::timestamptz else ${relayers.foreignSeenAt} end`,
});

/**
 * Takes the next nonce of a lane and holds the lane's row lock until the transaction ends. Null, and nothing is written,
 * where the lane is in another state.
 *
 * `chainNonce` is the account's count of mined transactions: a lane never falls behind it.
 */
export async function takeNonce(
  tx: Tx,
  relayer: Address,
  { chainNonce, state, now }: { chainNonce: bigint; state: LaneState; now: Date },
): Promise<bigint | null> {
  const [row] = await tx
    .insert(relayers)
    .values({ address: relayer, nextNonce: chainNonce + 1n })
    .onConflictDoUpdate({
      target: relayers.address,
      set: { nextNonce: sql`greatest(${relayers.nextNonce}, ${chainNonce}) + 1`, ...foreignChange(chainNonce, now) },
      setWhere: eq(relayers.state, state),
    })
    .returning({ nextNonce: relayers.nextNonce });
  return row ? row.nextNonce - 1n : null;
}

/** The nonce that a lane's next transaction takes at least; 0 for a lane that was never used. */
export async function findNextNonce(on: Executor, relayer: Address): Promise<bigint> {
  const isThis = eq(relayers.address, relayer);
  const [row] = await on.select({ nextNonce: relayers.nextNonce }).from(relayers).where(isThis);
  return row?.nextNonce ?? 0n;
}

/** Brings a lane that was used to the chain's nonce; what it jumps over was used without this service. */
export async function catchUpLane(on: Executor, relayer: Address, chainNonce: bigint, now: Date): Promise<void> {
  await on
    .update(relayers)
    .set({ nextNonce: chainNonce, ...foreignChange(chainNonce, now) })
    .where(and(eq(relayers.address, relayer), gt(relayers.nextNonce, 0n), lt(relayers.nextNonce, chainNonce)));
}

/** Counts transactions of a key on chain that this service did not sign. */
export async function noteForeignTransactions(tx: Tx, relayer: Address, count: bigint, now: Date): Promise<void> {
  await tx
    .update(relayers)
    .set({ foreignCount: sql`${relayers.foreignCount} + ${count}`, foreignSeenAt: now })
    .where(eq(relayers.address, relayer));
}

/** Keys of which some transactions on chain were not signed by this service, and when the last was noticed. */
export async function listSharedLanes(
  on: Executor,
): Promise<{ relayer: Address; foreignCount: bigint; foreignSeenAt: Date }[]> {
  const rows = await on
    .select({ relayer: relayers.address, foreignCount: relayers.foreignCount, foreignSeenAt: relayers.foreignSeenAt })
    .from(relayers);
  return rows.flatMap(({ foreignSeenAt, ...row }) => (foreignSeenAt === null ? [] : [{ ...row, foreignSeenAt }]));
}

/** Makes a lane's row where it has none, which a relay transaction needs. */
export async function insertLane(on: Executor, relayer: Address, nextNonce: bigint): Promise<void> {
  await on.insert(relayers).values({ address: relayer, nextNonce }).onConflictDoNothing();
}

/** Holds a lane's row lock until the transaction ends. */
export async function lockLane(tx: Tx, relayer: Address): Promise<void> {
  await insertLane(tx, relayer, 0n);
  await tx.select({ address: relayers.address }).from(relayers).where(eq(relayers.address, relayer)).for("update");
}

/**
 * Counts the nonce of a transaction that got its row only now as ours. Nonces below it without a row count as used without
 * this service until they get theirs.
 */
export async function restoreNonce(tx: Tx, relayer: Address, nonce: bigint): Promise<void> {
  const count = sql`case when ${nonce} < ${relayers.nextNonce} then greatest(${relayers.foreignCount} - 1, 0)
    else ${relayers.foreignCount} + ${foreignNonces(nonce)} end`;
  await tx
    .update(relayers)
    .set({
      nextNonce: sql`greatest(${relayers.nextNonce}, ${nonce + 1n})`,
      foreignCount: count,
      foreignSeenAt: sql`case when ${count} > 0 then ${relayers.foreignSeenAt} end`,
    })
    .where(eq(relayers.address, relayer));
}

/**
 * Takes back that nonces were counted as used without this service since an instant: a database had lost their rows.
 * Returns how many there are.
 */
export async function forgetForeignNonces(tx: Tx, relayer: Address, since: Date): Promise<bigint> {
  const isSince = and(eq(relayers.address, relayer), gte(relayers.foreignSeenAt, since));
  const [row] = await tx.select({ count: relayers.foreignCount }).from(relayers).where(isSince).for("update");
  if (!row) return 0n;
  await tx.update(relayers).set({ foreignCount: 0n, foreignSeenAt: null }).where(eq(relayers.address, relayer));
  return row.count;
}

/** Begins to gather in a lane, for at most `forMs` by the database's clock. False while another job gathers. */
export async function beginGathering(on: Executor, relayer: Address, forMs: number): Promise<boolean> {
  const until = sql`now() + ${forMs} * interval '1 millisecond'`;
  const rows = await on
    .insert(relayers)
    .values({ address: relayer, nextNonce: 0n, gatheringUntil: until })
    .onConflictDoUpdate({
      target: relayers.address,
      set: { gatheringUntil: until },
      setWhere: sql`coalesce(${relayers.gatheringUntil} < now(), true)`,
    })
    .returning({ address: relayers.address });
  return rows.length === 1;
}

/** Ends the gathering, so that another job may begin. */
export async function endGathering(on: Executor, relayer: Address): Promise<void> {
  await on.update(relayers).set({ gatheringUntil: null }).where(eq(relayers.address, relayer));
}

/** The lowest nonce of a lane that is not known to be mined; nothing behind it can be mined before it. */
export async function findLowestOpenNonce(on: Executor, relayer: Address): Promise<bigint | null> {
  const [row] = await on
    .select({ nonce: openRelays.nonce })
    .from(openRelays)
    .where(eq(openRelays.relayer, relayer))
    .orderBy(openRelays.nonce)
    .limit(1);
  return row?.nonce ?? null;
}

/** The lanes with open transactions, each with the lowest nonce that is not known to be mined. */
export async function listOpenLanes(on: Executor): Promise<{ relayer: Address; lowestOpen: bigint }[]> {
  const rows = await on
    .select({ relayer: openRelays.relayer, lowestOpen: min(openRelays.nonce) })
    .from(openRelays)
    .groupBy(openRelays.relayer);
  return rows.flatMap(({ relayer, lowestOpen }) => (lowestOpen === null ? [] : [{ relayer, lowestOpen }]));
}

/** Has every open transaction of a lane looked for now, up to a nonce. */
export async function confirmUpTo(
  on: Executor,
  { relayer, nonce }: { relayer: Address; nonce: bigint },
): Promise<void> {
  const { relayTransactionId, requestId } = openRelays;
  const payloads = await on
    .select({ relayTransactionId, requestId })
    .from(openRelays)
    .where(and(eq(openRelays.relayer, relayer), lte(openRelays.nonce, nonce)));
  await enqueueAll(
    on,
    "relay.confirm",
    payloads.map((payload) => ({ payload })),
  );
}

/** How many transactions of a lane are under way. */
export const countOpenRelayTransactions = (on: Executor, relayer: Address): Promise<number> =>
  on.$count(openRelays, eq(openRelays.relayer, relayer));
