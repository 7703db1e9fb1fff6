import { updateUser, type User } from "@cardkeep/db/queries/users";
import type { Risk } from "@cardkeep/db/schema/users";
import type { OperatorContext } from "../context.ts";
import { resolveUser } from "../users/find.ts";

/** The operator's own judgement of a user's answers, in place of theirs; later answers may make it worse. @throws users.not_found */
export async function setRisk(
  ctx: OperatorContext,
  { reference, risk }: { reference: string; risk: Risk },
): Promise<User> {
  return ctx.commit(async ({ tx }) => {
    const user = await resolveUser(tx, reference);
    await updateUser(tx, user.id, { sourceOfFundsRisk: risk });
    return { ...user, sourceOfFundsRisk: risk };
  });
}
