/** Moves of the treasury. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { listFinalStates, listOrigins, listUndoOrigins } from "@cardkeep/contract/core/machine";
import {
  type TreasuryMoveKind,
  treasuryMoveMachine,
  type TreasuryMoveStatus,
} from "@cardkeep/contract/treasury/treasuryMoves";
import { and, desc, eq, gt, inArray, lt, notInArray, or, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import type { SettlementToken } from "../../schema/chain/settlementFunds.ts";
import { openRelays, treasuryMoves } from "../../schema/tables.ts";

export type TreasuryMove = typeof treasuryMoves.$inferSelect;

const finalStates = listFinalStates(treasuryMoveMachine);

export const isEndedMove = ({ status }: Pick<TreasuryMove, "status">): boolean => finalStates.includes(status);

/** Acts that begin a move wait for each other, so that each sees the moves of the others. Held to the end of the commit. */
export async function lockTreasury(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('treasury', 0))`);
}

export async function insertMove(
  tx: Tx,
  row: Pick<TreasuryMove, "id" | "kind" | "token" | "amount" | "destination" | "askedBy" | "note" | "requestId"> &
    Partial<TreasuryMove> & { createdAt: Date },
): Promise<TreasuryMove> {
  const [inserted] = await tx
    .insert(treasuryMoves)
    .values({ status: treasuryMoveMachine.initial, ...row, updatedAt: row.createdAt })
    .returning();
  if (!inserted) throw new Error(`Move ${row.id} was not inserted`);
  return inserted;
}

export async function findMove(on: Executor, id: string): Promise<TreasuryMove | null> {
  const [row] = await on.select().from(treasuryMoves).where(eq(treasuryMoves.id, id)).limit(1);
  return row ?? null;
}

/** Moves, newest first; `after` names the last row of the page before. */
export async function listMoves(
  on: Executor,
  {
    kind,
    status,
    after,
    limit,
  }: { kind: TreasuryMoveKind | null; status: TreasuryMoveStatus | null; after: string | null; limit: number },
): Promise<TreasuryMove[]> {
  const known = after === null ? null : await findMove(on, after);
  return on
    .select()
    .from(treasuryMoves)
    .where(
      and(
        kind === null ? undefined : eq(treasuryMoves.kind, kind),
        status === null ? undefined : eq(treasuryMoves.status, status),
        known === null
          ? undefined
          : or(
              lt(treasuryMoves.createdAt, known.createdAt),
              and(eq(treasuryMoves.createdAt, known.createdAt), lt(treasuryMoves.id, known.id)),
            ),
      ),
    )
    .orderBy(desc(treasuryMoves.createdAt), desc(treasuryMoves.id))
    .limit(Number.isFinite(limit) ? limit : 1_000);
}

/** Moves that have not ended, oldest first. */
export async function listOpenMoves(on: Executor): Promise<TreasuryMove[]> {
  return on
    .select()
    .from(treasuryMoves)
    .where(notInArray(treasuryMoves.status, finalStates))
    .orderBy(treasuryMoves.createdAt, treasuryMoves.id);
}

/** The approvals that were given or are being given since an instant. */
export async function listApprovalsSince(on: Executor, token: SettlementToken, since: Date): Promise<TreasuryMove[]> {
  return on
    .select()
    .from(treasuryMoves)
    .where(
      and(
        eq(treasuryMoves.kind, "approve"),
        eq(treasuryMoves.token, token),
        gt(treasuryMoves.createdAt, since),
        notInArray(treasuryMoves.status, ["FAILED"]),
      ),
    );
}

/** Those of some transactions that moves rest on. */
export async function listHashesOfMoves(on: Executor, hashes: readonly Hex[]): Promise<(Hex | null)[]> {
  const rows = await on
    .select({ hash: treasuryMoves.hash })
    .from(treasuryMoves)
    .where(inArray(treasuryMoves.hash, [...hashes]));
  return rows.map(({ hash }) => hash);
}

/** Moves a row along the table; null where it is in another state, or moved meanwhile. @param from the one state that it may be in */
export async function changeMove(
  tx: Tx,
  id: string,
  change: Partial<TreasuryMove> & { status: TreasuryMoveStatus; updatedAt: Date },
  from?: TreasuryMoveStatus,
): Promise<TreasuryMove | null> {
  const origins = listOrigins(treasuryMoveMachine, change.status).filter((each) => from === undefined || each === from);
  const endedAt = finalStates.includes(change.status) ? change.updatedAt : null;
  const [row] = await tx
    .update(treasuryMoves)
    .set({ ...change, endedAt })
    .where(and(eq(treasuryMoves.id, id), inArray(treasuryMoves.status, origins)))
    .returning();
  return row ?? null;
}

/** The newest thousand moves, newest first: from which account, of which kind and when. */
export async function listNewestMoves(on: Executor): Promise<Pick<TreasuryMove, "source" | "kind" | "createdAt">[]> {
  const { source, kind, createdAt } = treasuryMoves;
  return on.select({ source, kind, createdAt }).from(treasuryMoves).orderBy(desc(createdAt)).limit(1_000);
}

/** Moves whose end rests on a block after one. */
export async function listMovesAfter(on: Executor, after: bigint): Promise<TreasuryMove[]> {
  return on.select().from(treasuryMoves).where(gt(treasuryMoves.endedBlock, after)).orderBy(treasuryMoves.createdAt);
}

/** Moves a move back after a reorganisation: to SIGNED, whose transaction is sent again, or to PLANNED. */
export async function moveMoveBack(tx: Tx, id: string, now: Date): Promise<TreasuryMove | null> {
  const [signed] = await tx
    .select({ id: openRelays.relayTransactionId })
    .from(openRelays)
    .where(eq(openRelays.subjectId, id))
    .limit(1);
  const moveBackTo = async (status: TreasuryMoveStatus): Promise<TreasuryMove | null> => {
    const back = { status, endedBlock: null, hash: null, failure: null, endedAt: null, updatedAt: now };
    const origins = listUndoOrigins(treasuryMoveMachine, status);
    const [row] = await tx
      .update(treasuryMoves)
      .set(back)
      .where(and(eq(treasuryMoves.id, id), inArray(treasuryMoves.status, origins)))
      .returning();
    return row ?? null;
  };
  return (signed && (await moveBackTo("SIGNED"))) ?? moveBackTo("PLANNED");
}

/** Base units that arrived since an instant, by kind and token: `sweep EURe`. */
export async function sumMovesSince(on: Executor, since: Date): Promise<Map<string, bigint>> {
  const rows = await on
    .select({
      kind: treasuryMoves.kind,
      token: treasuryMoves.token,
      sum: sql<string>`sum(${treasuryMoves.amount})`,
    })
    .from(treasuryMoves)
    .where(and(gt(treasuryMoves.endedAt, since), eq(treasuryMoves.status, "DONE")))
    .groupBy(treasuryMoves.kind, treasuryMoves.token);
  return new Map(rows.map(({ kind, token, sum }) => [`${kind} ${token}`, BigInt(sum)]));
}
