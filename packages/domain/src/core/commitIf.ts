import type { CommitContext, Work } from "./context.ts";

/** What a transaction answered, and whether its writes stand. */
export interface Attempt<T> {
  readonly value: T;
  readonly isKept: boolean;
}

/** Commits the writes of `write` where `isKept` is true of its value, and rolls them back where it is not. */
export async function commitIf<T>(
  ctx: Pick<CommitContext, "commit">,
  write: (work: Work) => Promise<T>,
  isKept: (value: T) => boolean,
): Promise<Attempt<T>> {
  /** A transaction is rolled back by an exception alone. This one carries the value no further than to this function. */
  class RolledBack extends Error {
    constructor(readonly value: T) {
      super("Rolled back");
    }
  }
  try {
    const value = await ctx.commit(async (work) => {
      const written = await write(work);
      if (!isKept(written)) throw new RolledBack(written);
      return written;
    });
    return { value, isKept: true };
  } catch (error) {
    if (error instanceof RolledBack) return { value: error.value, isKept: false };
    throw error;
  }
}
