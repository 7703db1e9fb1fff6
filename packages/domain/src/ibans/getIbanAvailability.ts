import { fail } from "@cardkeep/contract/errors";
import { findIban } from "@cardkeep/db/queries/ibans";
import { findActiveSafe } from "@cardkeep/db/queries/safes";
import { findUser } from "@cardkeep/db/queries/users";
import type { UserContext } from "../context.ts";
import { isAvailable } from "./eligibility.ts";

/** Whether the user may ask for an IBAN now. @throws auth.unauthorized when the token outlived its user */
export async function getIbanAvailability(ctx: UserContext): Promise<{ data: { available: boolean } }> {
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.unauthorized");
  const safe = await findActiveSafe(ctx.db, user.id);
  return { data: { available: isAvailable(user, safe, await findIban(ctx.db, user.id)) } };
}
