/** What workers report of their signers. Every instant is the database's: the processes that compare them share no other clock. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { asc, eq, gt, lt, or, sql } from "drizzle-orm";
import type { Db } from "../../client.ts";
import type { SignerFault } from "../../schema/chain/signers.ts";
import { signerReports } from "../../schema/tables.ts";

/** A signer as one worker finds it. */
export interface SignerState {
  readonly address: Address;
  readonly kind: string;
  /** Null while it answers. */
  readonly failure: { readonly fault: SignerFault; readonly reason: string; readonly seconds: number } | null;
  /** Whether calls are paused after failures. */
  readonly isPaused: boolean;
}

/** A worker that reported nothing for longer is gone. */
const reportLifetime = sql`interval '1 minute'`;

/** Replaces the report of one worker, and removes those of workers that are gone. */
export async function saveSignerReport(db: Db, workerId: string, states: readonly SignerState[]): Promise<void> {
  const isGone = lt(signerReports.reportedAt, sql`now() - ${reportLifetime}`);
  const rows = states.map(({ failure, ...state }) => ({
    ...state,
    workerId,
    fault: failure?.fault ?? null,
    reason: failure?.reason ?? null,
    failingSince: failure && sql`now() - ${failure.seconds} * interval '1 second'`,
    reportedAt: sql`now()`,
  }));
  await db.transaction(async (tx) => {
    await tx.delete(signerReports).where(or(eq(signerReports.workerId, workerId), isGone));
    if (rows.length > 0) await tx.insert(signerReports).values(rows);
  });
}

export type SignerReport = typeof signerReports.$inferSelect;

/** What every living worker found, by address; the longest failure of each address first. */
export const listSignerReports = (db: Db): Promise<SignerReport[]> =>
  db
    .select()
    .from(signerReports)
    .where(gt(signerReports.reportedAt, sql`now() - ${reportLifetime}`))
    .orderBy(asc(signerReports.address), asc(signerReports.failingSince));
