import { fail } from "@cardkeep/contract/core/errors";
import { deleteOauthStates, findIban, updateIban } from "@cardkeep/db/queries/users/ibans";
import { lockUser } from "@cardkeep/db/queries/users/users";
import type { Commit, UserContext } from "../../core/context.ts";
import { changeStatus, keepIban } from "./iban.ts";

const forgotten = {
  address: null,
  signature: null,
  linkedProfileId: null,
  attempt: null,
  sealedToken: null,
  iban: null,
  bic: null,
} as const;

/**
 * Forgets the user's IBAN and consents; again changes nothing. Orders stay, and later ones of the IBAN are recorded too:
 * the law wants them kept, and the institution still takes money by it.
 *
 * Our name of the person's profile stays, so that asking again makes no second one.
 */
export async function resetIban(ctx: UserContext): Promise<Commit<{ data: { success: boolean } }>> {
  const { userId } = ctx.actor;
  return async (work) => {
    if (!(await lockUser(work.tx, userId))) fail("auth.token_invalid");
    const row = await findIban(work.tx, userId);
    await deleteOauthStates(work.tx, userId);
    if (row) await keepIban(work, row);
    if (row?.status === "NOTSTARTED") await updateIban(work.tx, userId, { ...forgotten, updatedAt: work.now });
    else if (row) await changeStatus(work, row, "NOTSTARTED", forgotten);
    return { data: { success: true } };
  };
}
