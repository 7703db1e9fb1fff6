/** The operator's money at the issuer: its top-ups, and the forecast. */
import { and, asc, desc, eq, gte, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Executor, Tx } from "../../client.ts";
import { isOneOf } from "../../schema/columns.ts";
import { issuerCover, issuerTopUps, treasuryMoves } from "../../schema/tables.ts";
import type { TreasuryMove } from "./moves.ts";

export type IssuerTopUp = typeof issuerTopUps.$inferSelect;
export type IssuerCover = typeof issuerCover.$inferSelect;

/** Keeps a top-up; null where it is known. */
export async function insertTopUpOnce(tx: Tx, row: IssuerTopUp): Promise<IssuerTopUp | null> {
  const [inserted] = await tx.insert(issuerTopUps).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

/** The newest top-up; null before the first. */
export async function findNewestIssuerTopUp(on: Executor): Promise<IssuerTopUp | null> {
  const [row] = await on.select().from(issuerTopUps).orderBy(desc(issuerTopUps.arrivedAt)).limit(1);
  return row ?? null;
}

/** Top-ups that no move announced, oldest first. */
export const listUnannouncedTopUps = (on: Executor, since: Date): Promise<IssuerTopUp[]> =>
  on
    .select()
    .from(issuerTopUps)
    .where(and(isNull(issuerTopUps.moveId), gte(issuerTopUps.arrivedAt, since)))
    .orderBy(asc(issuerTopUps.arrivedAt), asc(issuerTopUps.id));

/** Announced money, and when it left: its redeem was processed, or an operator announced it. */
export type OpenFund = TreasuryMove & { readonly sentAt: Date };

const cause = alias(treasuryMoves, "cause");

const selectOpenFunds = (on: Executor) =>
  on
    .select({ fund: treasuryMoves, processedAt: cause.endedAt })
    .from(treasuryMoves)
    .leftJoin(cause, eq(cause.id, treasuryMoves.causeId))
    .where(and(isOneOf(treasuryMoves.kind, ["fund"]), isOneOf(treasuryMoves.status, ["SENT"])))
    .orderBy(asc(treasuryMoves.createdAt), asc(treasuryMoves.id));

const toOpenFund = ({ fund, processedAt }: { fund: TreasuryMove; processedAt: Date | null }): OpenFund => ({
  ...fund,
  sentAt: processedAt ?? fund.createdAt,
});

/** Announced money that has not arrived, oldest first. */
export const listOpenFunds = async (on: Executor): Promise<OpenFund[]> => (await selectOpenFunds(on)).map(toOpenFund);

/** The same, locked. */
export const lockOpenFunds = async (tx: Tx): Promise<OpenFund[]> =>
  (await selectOpenFunds(tx).for("update", { of: treasuryMoves })).map(toOpenFund);

/** Names the move whose money a top-up is. */
export async function setTopUpMove(tx: Tx, id: string, moveId: string): Promise<void> {
  await tx.update(issuerTopUps).set({ moveId }).where(eq(issuerTopUps.id, id));
}

export const listCover = (on: Executor): Promise<IssuerCover[]> =>
  on.select().from(issuerCover).orderBy(asc(issuerCover.currency));

/** Keeps a forecast; `shortSince` stays the first instant of a shortage. */
export async function putCover(tx: Tx, row: IssuerCover): Promise<void> {
  const { currency: _, shortSince, ...change } = row;
  await tx
    .insert(issuerCover)
    .values(row)
    .onConflictDoUpdate({
      target: issuerCover.currency,
      set: {
        ...change,
        shortSince:
          shortSince === null
            ? null
            : sql`coalesce(${issuerCover.shortSince}, ${shortSince.toISOString()}::timestamptz)`,
      },
    });
}

/** Cents that arrived as top-ups since an instant, by currency. */
export async function sumTopUpsSince(on: Executor, since: Date): Promise<Map<string, bigint>> {
  const rows = await on
    .select({ currency: issuerTopUps.currency, sum: sql<string>`sum(${issuerTopUps.amountCents})` })
    .from(issuerTopUps)
    .where(gte(issuerTopUps.arrivedAt, since))
    .groupBy(issuerTopUps.currency);
  return new Map(rows.map(({ currency, sum }) => [currency, BigInt(sum)]));
}
