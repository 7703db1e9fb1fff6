import { fail } from "@cardkeep/contract/core/errors";
import { type ActingUser, holdActor } from "@cardkeep/db/queries/users/users";
import type { Commit, CommitContext } from "./context.ts";

/**
 * The same context for a user's request: each transaction holds off the user's erasure, and after it is refused with
 * auth.token_invalid. Otherwise a request under way would write personal data again. One of a wallet that was removed is
 * refused too: its request may have waited for its own body.
 */
export function lockUserEach(ctx: CommitContext, actor: ActingUser): CommitContext {
  const bind =
    <T>(write: Commit<T>): Commit<T> =>
    async (work) => {
      if (!(await holdActor(work.tx, actor))) fail("auth.token_invalid");
      return write(work);
    };
  return {
    ...ctx,
    prepare: (write) => ctx.prepare(bind(write)),
    commit: (write) => ctx.commit(bind(write)),
  };
}
