/** A user as acts see it, and what several acts share. */
import type { User } from "@cardkeep/db/queries/users/users";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type { UserDetails } from "@cardkeep/domain/operations/people/getUserDetails";
import { resolveUser } from "@cardkeep/domain/users/users/listUsers";
import type { Offer } from "../noun.ts";

/** A user, and on the user's own page what decides which acts are offered. */
export type UserRow = User & Partial<Pick<UserDetails, "hold" | "contactChange" | "underWay" | "erasureRequest">>;

/** Runs an act that answers something else, and reads the user. */
export const thenRead =
  (run: (ctx: OperatorContext, input: { reference: string }) => Promise<unknown>) =>
  async (ctx: OperatorContext, reference: string): Promise<UserRow> => {
    const user = await resolveUser(ctx.db, reference);
    await run(ctx, { reference: user.id });
    return user;
  };

/** Nothing is offered about an erased user. */
export const whileKept =
  (offer: (user: UserRow) => Offer | null) =>
  (user: UserRow): Offer | null =>
    user.erasedAt === null ? offer(user) : null;
