import { fail } from "@cardkeep/contract/core/errors";
import { findUser, lockUser, updateUser, type User } from "@cardkeep/db/queries/users/users";
import { spreadBlock } from "./spreadBlock.ts";
import type { OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { resolveUser } from "./listUsers.ts";

/**
 * Deactivates or activates a user; the same again changes nothing.
 *
 * A deactivated user still signs in, reads and withdraws; every other change is refused (`requireActiveUser`). What was
 * accepted before is carried out.
 *
 * @throws users.not_found, also where the user was erased
 */
export async function setUserStatus(
  ctx: OperatorContext,
  { reference, status }: { reference: string; status: User["status"] },
): Promise<User> {
  return ctx.act(status === "ACTIVE" ? "users.activate" : "users.deactivate", async (work) => {
    const { tx } = work;
    const { id } = await resolveUser(tx, reference);
    const user = await lockUser(tx, id);
    if (!user || user.erasedAt !== null) fail("users.not_found");
    await updateUser(tx, id, { status });
    await spreadBlock(work, id);
    return {
      output: { ...user, status },
      subject: { kind: "user", id },
      before: { status: user.status },
      after: { status },
    };
  });
}

/** Refuses a user that the operator has deactivated. @throws users.deactivated */
export async function requireActiveUser({ db }: Pick<Services, "db">, userId: string): Promise<void> {
  if ((await findUser(db, userId))?.status === "DEACTIVATED") fail("users.deactivated");
}
