/** A user's IBAN: its resource and its changes of status. */
import type { bankingDetails, IbanStatus } from "@cardkeep/contract/users/ibans";
import { archiveIban, type Iban, moveIban, nameArchivedIban } from "@cardkeep/db/queries/users/ibans";
import type { AssignedIban } from "@cardkeep/providers/emoney/port";
import type { z } from "zod";
import type { Work } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { watchFormerSafe, watchIban } from "./watchIban.ts";

/** The profile at the institution that counts for a user. */
export const profileIdOf = (row: Iban): string => row.linkedProfileId ?? row.profileId;

/** The banking details of the user resource; null before the user asked for an IBAN. */
export function buildBankingDetails(row: Iban | null): z.output<typeof bankingDetails> | null {
  if (row === null || row.status === "NOTSTARTED" || row.address === null) return null;
  const { id, userId, address, iban, bic, status, createdAt, updatedAt } = row;
  return { id, userId, address, emoneyIban: iban, emoneyBic: bic, emoneyIbanStatus: status, createdAt, updatedAt };
}

/**
 * Moves a user's IBAN to another status and publishes the event, behind the user's row lock.
 *
 * False, and nothing changed, where the state machine refuses it, or where another user has the IBAN or the profile.
 */
export async function changeIbanStatus(
  work: Work,
  row: Iban,
  to: IbanStatus,
  change: Parameters<typeof moveIban>[3] = {},
): Promise<boolean> {
  const { tx, now } = work;
  if (!(await moveIban(tx, row.userId, to, { ...change, updatedAt: now }))) return false;
  const { userId, status: previousStatus } = row;
  await publish(work, "iban.status.changed", userId, { userId, previousStatus, currentStatus: to });
  return true;
}

/**
 * Keeps which account an IBAN pays into, before it or its profile is forgotten here: the institution still takes money by it.
 * One that is pending counts, because the institution opens what it was asked for.
 */
export async function keepIban({ tx, now }: Work, row: Iban): Promise<void> {
  const { userId, address, iban, bic } = row;
  if (address === null || (iban === null && row.status !== "PENDING")) return;
  await archiveIban(tx, { userId, profileId: profileIdOf(row), address, iban, bic, archivedAt: now });
}

/** Names a kept IBAN that was awaited, and watches it as an assigned one, also for its Safe; false where none was awaited. */
export async function nameKeptIban(work: Work, named: AssignedIban & { userId: string }): Promise<boolean> {
  if (!(await nameArchivedIban(work.tx, named))) return false;
  await watchIban(work, named.userId);
  await watchFormerSafe(work, named);
  return true;
}

/** Gives a pending user the IBAN that the institution reported; false when it is not this user's. */
export async function assign(work: Work, row: Iban, reported: AssignedIban): Promise<boolean> {
  if (reported.address !== row.address || reported.profileId !== profileIdOf(row)) return false;
  const { userId } = row;
  const { iban, bic } = reported;
  if (!(await changeIbanStatus(work, row, "ASSIGNED", { iban, bic, attempt: null, sealedToken: null }))) return false;
  await publish(work, "iban.created", userId, { userId, iban, bic: bic ?? "" });
  await watchIban(work, userId);
  return true;
}
