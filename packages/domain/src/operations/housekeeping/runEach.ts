import type { CommitContext } from "../../core/context.ts";

/** An error names this many of the items that failed. */
const namedMax = 5;

/** Some items of a chore failed; its cause is the first failure. */
class ItemsFailed extends Error {}

/**
 * Runs a chore's items one after the other. An item that fails does not stop the next one.
 *
 * @param input.name names an item in the error
 * @throws Error after the last item, where any failed: it names the items that failed
 */
export async function runEach<T>(
  ctx: Pick<ChoreContext, "stopping">,
  input: { items: readonly T[]; name: (item: T) => string; run: (item: T) => Promise<unknown> },
): Promise<void> {
  const failed: string[] = [];
  let cause: unknown = null;
  for (const item of input.items) {
    if (ctx.stopping.aborted) break;
    try {
      await input.run(item);
    } catch (error) {
      cause ??= error;
      failed.push(input.name(item));
    }
  }
  if (failed.length === 0) return;
  const names = failed.slice(0, namedMax).join(", ");
  throw new ItemsFailed(`${failed.length} failed: ${names}${failed.length > namedMax ? ", ..." : ""}`, { cause });
}

/** The context of a chore. Each worker runs every chore, so a chore may run in several processes at once. */
export interface ChoreContext extends CommitContext {
  /** Aborted when the worker stops, and when the turn has taken its time. A chore then ends before its next item. */
  readonly stopping: AbortSignal;
}
