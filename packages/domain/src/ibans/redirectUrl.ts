import { fail } from "@cardkeep/contract/errors";
import { lockUser } from "@cardkeep/db/queries/users";
import type { CommitContext, UserContext } from "../context.ts";
import { requireCallbackUrl } from "./requireCallbackUrl.ts";
import { beginConsent } from "./consent.ts";

/** Where the person agrees that their profile is used; each answer is another consent. @throws ibans.invalid_callback_url */
export async function redirectUrl(
  ctx: UserContext & CommitContext,
  { callbackUrl }: { callbackUrl?: string | undefined },
): Promise<{ data: { redirectUrl: string } }> {
  await requireCallbackUrl(ctx, callbackUrl);
  return ctx.commit(async (work) => {
    const user = (await lockUser(work.tx, ctx.actor.userId)) ?? fail("auth.unauthorized");
    return { data: { redirectUrl: await beginConsent(ctx, work, user, callbackUrl) } };
  });
}
