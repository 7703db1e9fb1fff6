import { CardkeepError } from "@cardkeep/contract/core/errors";
import { findUser } from "@cardkeep/db/queries/users/users";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import type { OperatorContext } from "../../core/context.ts";
import { eraseLocked } from "./eraseUser.ts";

/** How a repeated erasure ended: the person was erased now or before, is unknown here, or why not. */
export interface RepeatedErasure {
  userId: string;
  outcome: "erased" | "erased before" | "unknown" | "left";
  /** Why the person was left, in words. */
  reason: string | null;
}

/** One commit holds them all. */
export const erasedAgainMax = 1_000;

/**
 * Repeats erasures after a restored backup, which brought the people back. Users that are erased already, or unknown to
 * the backup, are left out. What holds one up holds up no other: it is named, and the same command again tries it again.
 *
 * @throws operators.approval_needed
 */
export async function eraseAgain(
  ctx: OperatorContext,
  { userIds }: { userIds: readonly string[] },
): Promise<RepeatedErasure[]> {
  // Users are locked in the order of their ids.
  const ids = [...new Set(userIds)].toSorted();
  const subject = { kind: "user", id: "erased" } as const;
  await requireApproval(ctx, "users.erase-again", { input: { userIds: ids }, subject });
  return ctx.act("users.erase-again", async (work) => {
    const output: RepeatedErasure[] = [];
    for (const userId of ids) {
      const user = await findUser(work.tx, userId);
      if (!user) output.push({ userId, outcome: "unknown", reason: null });
      else if (user.erasedAt !== null) output.push({ userId, outcome: "erased before", reason: null });
      else {
        const reason = await eraseLocked(ctx, work, userId).then(() => null, findReason);
        output.push({ userId, outcome: reason === null ? "erased" : "left", reason });
      }
    }
    const after = { erased: output.filter(({ outcome }) => outcome === "erased").map(({ userId }) => userId) };
    return { output, subject, before: null, after };
  });
}

/** Why a person cannot be erased now; nothing of the person was changed then. */
function findReason(error: unknown): string {
  if (error instanceof CardkeepError) return error.message;
  throw error;
}
