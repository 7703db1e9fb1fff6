import { fail } from "@cardkeep/contract/core/errors";
import { holdUser } from "@cardkeep/db/queries/users/users";
import type { Commit, CommitContext } from "./context.ts";

/**
 * The same context for a user's request: each transaction holds off the user's erasure, and after it is refused with
 * auth.token_invalid. Otherwise a request under way would write personal data again.
 */
export function lockUserEach(ctx: CommitContext, userId: string): CommitContext {
  const bind =
    <T>(write: Commit<T>): Commit<T> =>
    async (work) => {
      if (!(await holdUser(work.tx, userId))) fail("auth.token_invalid");
      return write(work);
    };
  return {
    ...ctx,
    prepare: (write) => ctx.prepare(bind(write)),
    commit: (write) => ctx.commit(bind(write)),
  };
}
