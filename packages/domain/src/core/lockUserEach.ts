import type { Commit, CommitContext } from "./context.ts";
import { type Acting, holdActor } from "./lockActor.ts";

/**
 * The same context for a user's request: each transaction holds off the user's erasure, and after it is refused with
 * auth.token_invalid. Otherwise a request under way would write personal data again. One of a wallet that was removed, or of a user
 * who was deactivated, is refused too.
 */
export function lockUserEach(ctx: CommitContext, actor: Acting): CommitContext {
  const bind =
    <T>(write: Commit<T>): Commit<T> =>
    async (work) => {
      await holdActor(work.tx, actor);
      return write(work);
    };
  return {
    ...ctx,
    prepare: (write) => ctx.prepare(bind(write)),
    commit: (write) => ctx.commit(bind(write)),
  };
}
