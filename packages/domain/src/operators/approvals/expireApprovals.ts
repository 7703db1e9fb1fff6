import { decideApproval, listDueApprovals } from "@cardkeep/db/queries/operators/approvals";
import { serviceOperator } from "../../core/actor.ts";
import { createOperatorContext } from "../../core/context.ts";
import type { Log } from "../../core/ports.ts";
import type { Services } from "../../core/services.ts";

/** Ends the requests whose day is over, each in a commit of its own; several workers may do so at once. */
export async function expireApprovals(ctx: Services & { log: Log; requestId: string }): Promise<void> {
  const { log, requestId } = ctx;
  for (const id of await listDueApprovals(ctx.db, await ctx.clock.now(ctx.db))) {
    const service = createOperatorContext(ctx, { log, requestId, actor: serviceOperator, reason: null });
    await service
      .act("approvals.expire", async ({ tx, now }) => {
        const { id: decidedById, name: decidedByName } = serviceOperator;
        const isExpired = await decideApproval(tx, id, {
          status: "EXPIRED",
          decidedById,
          decidedByName,
          decidedAt: now,
        });
        if (!isExpired) throw new DecidedMeanwhile();
        const subject = { kind: "approval", id } as const;
        return { output: undefined, subject, before: { status: "WAITING" }, after: { status: "EXPIRED" } };
      })
      .catch((error: unknown) => {
        if (!(error instanceof DecidedMeanwhile)) throw error;
      });
  }
}

/** Another process ended the request first: nothing is left to record. */
class DecidedMeanwhile extends Error {}
