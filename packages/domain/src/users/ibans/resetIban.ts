import { fail } from "@cardkeep/contract/core/errors";
import { deleteOauthStates, findIban, type Iban, updateIban } from "@cardkeep/db/queries/users/ibans";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { watchFormerSafe } from "./watchIban.ts";
import type { Commit, UserContext, Work } from "../../core/context.ts";
import { changeIbanStatus, keepIban } from "./iban.ts";

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
    if (row) await forgetIban(work, row);
    return { data: { success: true } };
  };
}

async function forgetIban(work: Work, row: Iban): Promise<Iban> {
  await keepIban(work, row);
  if (row.status === "NOTSTARTED") await updateIban(work.tx, row.userId, { ...forgotten, updatedAt: work.now });
  else await changeIbanStatus(work, row, "NOTSTARTED", forgotten);
  return { ...row, ...forgotten, status: "NOTSTARTED" };
}

/**
 * Forgets an IBAN that pays into a Safe which its person gave up, behind the user's row lock. A case asks to close what the
 * institution has of it: money that arrives by it goes into that Safe.
 */
export async function forgetIbanOfSafe(work: Work, row: Iban): Promise<Iban> {
  const { userId, address } = row;
  await deleteOauthStates(work.tx, userId);
  const begunAnew = await forgetIban(work, row);
  if (address !== null) await watchFormerSafe(work, { userId, address });
  return begunAnew;
}
