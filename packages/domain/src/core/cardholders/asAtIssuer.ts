import type { Executor } from "@cardkeep/db/client";
import { findFormerEmail } from "@cardkeep/db/queries/users/contactChanges";
import type { User } from "@cardkeep/db/queries/users/users";
import { isContactNew } from "./contactWindow.ts";

/** A user as the issuer is to know it now: while the window of `contactWindow.ts` is open, with the former mail address. */
export async function asAtIssuer(on: Executor, user: User | null, now: Date): Promise<User | null> {
  if (user === null || user.contactChangedAt === null || !isContactNew(user, now)) return user;
  // What the window's first change replaced stays at the issuer.
  const former = await findFormerEmail(on, user.id, user.contactChangedAt);
  return former === null ? user : { ...user, email: former };
}
