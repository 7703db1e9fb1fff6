import { fail } from "@cardkeep/contract/core/errors";
import type { Task } from "@cardkeep/db/queue/catalogue";
import { listJobsOf } from "@cardkeep/db/queue/inspect";
import type { UserContext } from "../../core/context.ts";
import { mustAnswer } from "../../core/pollUntil.ts";

/**
 * Ends a request whose job has no answer yet.
 *
 * @throws cards.issuer_unavailable where the job has begun: it waits for the issuer alone; server.unavailable where no worker has
 *   begun it, or the request found no place to wait in
 */
export async function failUnanswered(
  ctx: UserContext,
  { task, subjectId, startedMs }: { task: Task; subjectId: string; startedMs: number },
): Promise<never> {
  const [job] = mustAnswer(ctx, startedMs) ? await listJobsOf(ctx.db, { tasks: [task], subjectIds: [subjectId] }) : [];
  // A job that found the issuer away is scheduled again, as if it had not been tried.
  const hasBegun = job !== undefined && job.state !== "waiting";
  const cause = new Error(`${task} ${subjectId} has no answer yet`);
  return fail(hasBegun ? "cards.issuer_unavailable" : "server.unavailable", { cause });
}
