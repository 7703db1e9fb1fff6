import { type Backfill, setPaused } from "@cardkeep/db/queries/operations/backfills";
import { fail } from "@cardkeep/contract/core/errors";
import type { OperatorContext } from "../../core/context.ts";

/** Pauses or resumes a backfill. A batch that runs ends first. @throws backfills.not_found */
export async function pauseBackfill(
  ctx: OperatorContext,
  { name, isPaused }: { name: string; isPaused: boolean },
): Promise<Backfill> {
  return ctx.act(isPaused ? "backfills.pause" : "backfills.resume", async ({ tx }) => {
    const output = (await setPaused(tx, name, isPaused)) ?? fail("backfills.not_found");
    return {
      output,
      subject: { kind: "database", id: name },
      before: null,
      after: { isPaused, rows: String(output.rows) },
    };
  });
}
