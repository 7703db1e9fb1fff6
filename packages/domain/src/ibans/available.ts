import { fail } from "@cardkeep/contract/errors";
import { findActiveSafe } from "@cardkeep/db/queries/safes";
import { findUser } from "@cardkeep/db/queries/users";
import type { UserContext } from "../context.ts";
import { isEligible } from "./eligibility.ts";

/** Whether the user may have an IBAN. @throws auth.unauthorized when the token outlived its user */
export async function available(ctx: UserContext): Promise<{ data: { available: boolean } }> {
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.unauthorized");
  return { data: { available: isEligible(user, await findActiveSafe(ctx.db, user.id)) } };
}
