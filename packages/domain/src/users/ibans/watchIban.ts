/** Who may have an IBAN, and the cases about IBANs that only the institution can close. */
import { listOpenIbanOrders } from "@cardkeep/db/queries/users/ibanOrders";
import type { Address } from "@cardkeep/contract/core/primitives";
import { listIbansOfFormerSafes, listPayableProfiles } from "@cardkeep/db/queries/users/ibans";
import { closeCaseOf } from "@cardkeep/db/queries/spending/cases";
import { findUser, type User } from "@cardkeep/db/queries/users/users";
import type { Work } from "../../core/context.ts";
import { openCase } from "../../core/openCase.ts";

const ordersMax = 50;

/**
 * Opens a case while a person who may have no account has an IBAN, which only the institution can close. Ends the case
 * once the person may have one again; a new review of a rejected person changes nothing about it. An IBAN that was reset
 * here counts: the institution still takes money by it.
 * The case of an erased person names the orders whose end was never reported.
 */
export async function watchIban(work: Work, userId: string): Promise<void> {
  const { tx, now } = work;
  const profiles = await listPayableProfiles(tx, userId);
  const user = await findUser(tx, userId);
  const block = user && profiles.length > 0 ? findIbanBlock(user) : null;
  if (block) {
    const isErased = user?.erasedAt !== null;
    const lift = isErased ? "" : ", or lift the reason";
    const lost = isErased ? await listOpenIbanOrders(tx, userId, { limit: ordersMax }) : [];
    const ended = lost.length > 0 ? ` Ask it how its orders ended: ${lost.map(({ id }) => id).join(", ")}.` : "";
    const note = `The user ${block}. Close each IBAN of profile ${profiles.join(" and ")} at the e-money institution${lift}.${ended}`;
    const stake = { amountCents: 0n, currency: "EUR" };
    // A case from before the erasure names neither it nor the orders.
    await openCase(work, { kind: "iban_to_close", isOfPerson: true, userId, ...stake, note, isChanged: isErased });
    return;
  }
  if (user && profiles.length > 0 && !canHaveIban(user)) return;
  const closeReason = "The reason is gone";
  await closeCaseOf(
    tx,
    { kind: "iban_to_close", subjectId: userId },
    { closedAt: now, closedBy: "cardkeep", closeReason },
  );
}

/**
 * Opens a case where the institution has an IBAN, or was asked for one, that pays into a Safe which its person gave up: no withdrawal
 * of the service reaches its money. Operators alone end it. It names those of earlier Safes too, as they share it.
 */
export async function watchFormerSafe(
  work: Work,
  { userId, address }: { userId: string; address: Address },
): Promise<void> {
  const kept = await listIbansOfFormerSafes(work.tx, userId);
  if (!kept.some((each) => each.address === address)) return;
  const places = kept.map((each) => `profile ${each.profileId} at ${each.address}`).join(", ");
  const note = `The user gave up each of these Safes. Have the e-money institution close the IBANs that pay into them, and no other: ${places}.`;
  const stake = { amountCents: 0n, currency: "EUR" };
  await openCase(work, { kind: "iban_of_former_safe", isOfPerson: true, userId, ...stake, note, isChanged: true });
}

/** Whether a person may have an IBAN: one who is neither approved nor blocked has to wait. Pure. */
export const canHaveIban = (user: User): boolean => findIbanBlock(user) === null && user.kycStatus === "approved";

/** Why an IBAN of a person has to be closed; null for no reason. Pure. */
function findIbanBlock(user: User): string | null {
  if (user.erasedAt !== null) return "was erased";
  if (user.status === "DEACTIVATED") return "is deactivated";
  if (user.kycStatus === "rejected") return "was rejected by the identity provider";
  return user.sourceOfFundsRisk === "red" ? "is rated red for the source of funds" : null;
}
