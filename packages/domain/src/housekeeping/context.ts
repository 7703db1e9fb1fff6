import type { CommitContext } from "../context.ts";

/** What a chore is given. Each worker runs every chore, so a chore may run in several processes at once. */
export interface ChoreContext extends CommitContext {
  /** Aborted when the worker stops. A chore then ends before its next item. */
  readonly stopping: AbortSignal;
}
