/** What workers report of their signers. Every instant is the database's: the processes that compare them share no other clock. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { asc, eq, gt, not, or, sql } from "drizzle-orm";
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

const isReported = (withinSeconds: number) =>
  gt(signerReports.reportedAt, sql`now() - make_interval(secs => ${withinSeconds})`);

/** Replaces the report of one worker, and removes those of workers that reported nothing within the last seconds. */
export async function saveSignerReport(
  db: Db,
  { workerId, states, withinSeconds }: { workerId: string; states: readonly SignerState[]; withinSeconds: number },
): Promise<void> {
  const rows = states.map(({ failure, ...state }) => ({
    ...state,
    workerId,
    fault: failure?.fault ?? null,
    reason: failure?.reason ?? null,
    failingSince: failure && sql`now() - ${failure.seconds} * interval '1 second'`,
    reportedAt: sql`now()`,
  }));
  await db.transaction(async (tx) => {
    await tx.delete(signerReports).where(or(eq(signerReports.workerId, workerId), not(isReported(withinSeconds))));
    if (rows.length > 0) await tx.insert(signerReports).values(rows);
  });
}

export type SignerReport = typeof signerReports.$inferSelect;

/** What workers reported within the last seconds, by address; the longest failure of each address first. */
export const listSignerReports = (db: Db, withinSeconds: number): Promise<SignerReport[]> =>
  db
    .select()
    .from(signerReports)
    .where(isReported(withinSeconds))
    .orderBy(asc(signerReports.address), asc(signerReports.failingSince));
