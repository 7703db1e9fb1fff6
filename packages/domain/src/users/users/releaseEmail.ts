import { placeholderEmail } from "@cardkeep/contract/users/placeholderEmail";
import { findUser, replaceEmail } from "@cardkeep/db/queries/users/users";
import type { Context, Work } from "../../core/context.ts";

/**
 * Takes a mail address away from a locked user who never proved it, for the one who proves it in this commit. Where the
 * address is proven, or is another one by now, it stays.
 */
export async function releaseEmail(
  ctx: Pick<Context, "log">,
  work: Work,
  { id, address }: { id: string; address: string },
): Promise<void> {
  const user = await findUser(work.tx, id);
  if (user?.emailProvenAt !== null || user.email.toLowerCase() !== address.toLowerCase()) return;
  if (await replaceEmail(work.tx, id, { email: placeholderEmail(id, "released") }))
    work.afterCommit(() => ctx.log.info({ userId: id }, "an unproven mail address went to its owner"));
}
