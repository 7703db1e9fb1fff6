/** Relayer lanes: their nonces, and who gathers in them. */
import type { Address } from "@cardkeep/contract/primitives";
import { and, eq, lte, sql } from "drizzle-orm";
import type { Executor, Tx } from "../client.ts";
import { enqueueAll } from "../jobs.ts";
import { relayers, relayTransactions } from "../schema/tables.ts";
import { isOpenRelay } from "./relayTransactions.ts";

/**
 * Takes the next nonce of a lane and holds the lane's row lock until the transaction ends.
 *
 * `chainNonce` is the account's count of mined transactions: a lane never falls behind it.
 */
export async function takeNonce(tx: Tx, relayer: Address, chainNonce: bigint): Promise<bigint> {
  const [row] = await tx
    .insert(relayers)
    .values({ address: relayer, nextNonce: chainNonce + 1n })
    .onConflictDoUpdate({
      target: relayers.address,
      set: { nextNonce: sql`greatest(${relayers.nextNonce}, ${chainNonce}) + 1` },
    })
    .returning({ nextNonce: relayers.nextNonce });
  if (!row) throw new Error("The relayer's lane was not written");
  return row.nextNonce - 1n;
}

/** Begins to gather in a lane, for at most `forMs`; false while somebody else does. By the database's own time. */
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

/** Lets somebody else gather in a lane. */
export async function endGathering(on: Executor, relayer: Address): Promise<void> {
  await on.update(relayers).set({ gatheringUntil: null }).where(eq(relayers.address, relayer));
}

/** The lowest nonce of a lane that is not known to be mined; nothing behind it can be mined before it. */
export async function findLowestOpenNonce(on: Executor, relayer: Address): Promise<bigint | null> {
  const [row] = await on
    .select({ nonce: relayTransactions.nonce })
    .from(relayTransactions)
    .where(and(eq(relayTransactions.relayer, relayer), isOpenRelay))
    .orderBy(relayTransactions.nonce)
    .limit(1);
  return row?.nonce ?? null;
}

/** Has every open transaction of a lane looked for now, up to a nonce. */
export async function confirmUpTo(
  on: Executor,
  { relayer, nonce }: { relayer: Address; nonce: bigint },
): Promise<void> {
  const { id: relayTransactionId, requestId } = relayTransactions;
  const payloads = await on
    .select({ relayTransactionId, requestId })
    .from(relayTransactions)
    .where(and(eq(relayTransactions.relayer, relayer), lte(relayTransactions.nonce, nonce), isOpenRelay));
  await enqueueAll(
    on,
    "relay.confirm",
    payloads.map((payload) => ({ payload })),
  );
}

/** How many transactions of a lane are under way. */
export const countOpenRelayTransactions = (on: Executor, relayer: Address): Promise<number> =>
  on.$count(relayTransactions, and(eq(relayTransactions.relayer, relayer), isOpenRelay));
