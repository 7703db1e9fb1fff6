import { fail } from "@cardkeep/contract/errors";
import type { UserContext } from "../context.ts";
import { findUserResource, type User } from "./user.ts";

/** The signed-in user. @throws auth.unauthorized when the token outlived its user */
export async function getMe(ctx: UserContext): Promise<User> {
  return (await findUserResource(ctx.db, ctx.actor.userId, ctx.rules.chainId)) ?? fail("auth.unauthorized");
}
