/** IBANs, who has one, and consents under way. */
import { ibanMachine, type IbanStatus } from "@cardkeep/contract/users/ibans";
import { listOrigins } from "@cardkeep/contract/core/machine";
import { and, eq, gt, inArray, isNotNull, or, sql } from "drizzle-orm";
import type { Address } from "@cardkeep/contract/core/primitives";
import type { Executor, Tx } from "../../client.ts";
import { isUniqueViolation } from "../../errors.ts";
import { isOneOf } from "../../schema/columns.ts";
import { archivedIbans, emoneyCallbacks, ibans, oauthStates, safes, users } from "../../schema/tables.ts";
import { awaitedIban } from "../../schema/users/ibans.ts";

export type Iban = typeof ibans.$inferSelect;

export type OauthState = typeof oauthStates.$inferSelect;

export async function findIban(on: Executor, userId: string): Promise<Iban | null> {
  const [row] = await on.select().from(ibans).where(eq(ibans.userId, userId)).limit(1);
  return row ?? null;
}

/** The row whose profile at the institution this is, ours or the person's own. */
export async function findIbanByProfile(on: Executor, profileId: string): Promise<Iban | null> {
  const [row] = await on
    .select()
    .from(ibans)
    .where(or(eq(ibans.linkedProfileId, profileId), eq(ibans.profileId, profileId)))
    // A person who was erased and came back consents to the use of the profile that we made before.
    .orderBy(sql`${ibans.profileId} = ${profileId}`)
    .limit(1);
  return row ?? null;
}

type ArchivedIban = typeof archivedIbans.$inferInsert;

/** Keeps an IBAN that its person resets, null while it is awaited; the newest reset of the same one counts. */
export async function archiveIban(tx: Tx, row: Omit<ArchivedIban, "iban"> & Pick<Iban, "iban">): Promise<void> {
  const { iban, bic, archivedAt } = row;
  await tx
    .insert(archivedIbans)
    .values({ ...row, iban: iban ?? awaitedIban })
    .onConflictDoUpdate({
      target: [archivedIbans.userId, archivedIbans.profileId, archivedIbans.address],
      // An earlier reset may know the IBAN.
      set: iban === null ? { archivedAt } : { iban, bic, archivedAt },
    });
}

/** Names an IBAN that was awaited when its person reset it; false where none is. That of an erased person is not named. */
export async function nameArchivedIban(tx: Tx, row: Omit<ArchivedIban, "archivedAt">): Promise<boolean> {
  const { userId, profileId, address, iban, bic } = row;
  const isOne = and(
    eq(archivedIbans.userId, userId),
    eq(archivedIbans.profileId, profileId),
    eq(archivedIbans.address, address),
    eq(archivedIbans.iban, awaitedIban),
  );
  return (await tx.update(archivedIbans).set({ iban, bic }).where(isOne).returning()).length === 1;
}

/** The user who reset an IBAN of this profile by which money arrives at this account; null for none. */
export async function findArchivedUser(on: Executor, profileId: string, address: Address): Promise<string | null> {
  const isOne = and(eq(archivedIbans.profileId, profileId), eq(archivedIbans.address, address));
  const [row] = await on.select({ userId: archivedIbans.userId }).from(archivedIbans).where(isOne).limit(1);
  return row?.userId ?? null;
}

// Orders of erased people are not recorded.
const isArchived = sql`exists (select from ${archivedIbans} join ${users} on ${users.id} = ${archivedIbans.userId}
  where ${archivedIbans.userId} = ${ibans.userId} and ${archivedIbans.profileId} = ${ibans.profileId}
    and ${users.erasedAt} is null)`;

/** Condition: we made the profile, for a person who has or awaits an IBAN, or who reset one: its orders can be asked for. */
export const isOwnProfile = sql`(${isOneOf(ibans.status, ["PENDING", "ASSIGNED"])} or ${isArchived})
  and ${ibans.linkedProfileId} is null`;

/** Profiles that we made for people who have or await an IBAN, or who reset one, by user; `after`: behind this user. */
export async function listOwnProfiles(
  on: Executor,
  { after, limit }: { after: string | null; limit: number },
): Promise<Pick<Iban, "userId" | "profileId">[]> {
  const { userId, profileId } = ibans;
  return on
    .select({ userId, profileId })
    .from(ibans)
    .where(after === null ? isOwnProfile : and(isOwnProfile, gt(userId, after)))
    .orderBy(userId)
    .limit(limit);
}

/** Whether an IBAN is there or on its way. */
export const isUnderWay = ({ status }: Pick<Iban, "status">): boolean => status === "PENDING" || status === "ASSIGNED";

/** Profiles by whose IBANs money reaches a user: that of the present IBAN, also while it is awaited, and of those that were reset. */
export async function listPayableProfiles(on: Executor, userId: string): Promise<string[]> {
  const row = await findIban(on, userId);
  const isPresent = row !== null && isUnderWay(row);
  const { profileId } = archivedIbans;
  const kept = await on
    .select({ profileId })
    .from(archivedIbans)
    .where(eq(archivedIbans.userId, userId))
    .orderBy(profileId);
  const present = isPresent ? [row.linkedProfileId ?? row.profileId] : [];
  return [...new Set([...present, ...kept.map((each) => each.profileId)])];
}

/** What the institution has, or was asked for, that pays into Safes which their user gave up: each profile and Safe. */
export async function listIbansOfFormerSafes(
  on: Executor,
  userId: string,
): Promise<{ profileId: string; address: Address }[]> {
  const { profileId, address } = archivedIbans;
  const isOfSafe = and(eq(safes.userId, archivedIbans.userId), eq(safes.address, address), eq(safes.status, "reset"));
  return on
    .select({ profileId, address })
    .from(archivedIbans)
    .innerJoin(safes, isOfSafe)
    .where(eq(archivedIbans.userId, userId))
    .orderBy(profileId);
}

/** The user's row, made from `row` when there is none; the user's row lock must be held. */
export async function getOrInsertIban(tx: Tx, row: typeof ibans.$inferInsert): Promise<Iban> {
  await tx.insert(ibans).values(row).onConflictDoNothing();
  const found = await findIban(tx, row.userId);
  if (!found) throw new Error("The IBAN's row was not written");
  return found;
}

type IbanChange = Omit<Partial<typeof ibans.$inferInsert>, "userId" | "id" | "status" | "profileId">;

/** Changes a row that stays in its state; false when another user has the IBAN or the profile. */
export async function updateIban(tx: Tx, userId: string, change: IbanChange): Promise<boolean> {
  return unlessTaken(tx, async (savepoint) => {
    await savepoint.update(ibans).set(change).where(eq(ibans.userId, userId));
    return true;
  });
}

/** Moves a row on; false where the machine's table does not let it, or another user has the IBAN or the profile. */
export async function moveIban(tx: Tx, userId: string, to: IbanStatus, change: IbanChange): Promise<boolean> {
  return unlessTaken(tx, async (savepoint) => {
    const moved = await savepoint
      .update(ibans)
      .set({ ...change, status: to })
      .where(and(eq(ibans.userId, userId), inArray(ibans.status, listOrigins(ibanMachine, to))))
      .returning({ id: ibans.id });
    return moved.length === 1;
  });
}

export async function unlessTaken(tx: Tx, write: (savepoint: Tx) => Promise<boolean>): Promise<boolean> {
  try {
    return await tx.transaction(write);
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** The users of accounts that money arrives at by an IBAN, also by one that was reset. */
export async function listIbanHolders(on: Executor, addresses: readonly Address[]): Promise<Map<Address, string>> {
  const asked = sql`(select json_array_elements_text(${JSON.stringify(addresses)}::json))`;
  const [kept, present] = await Promise.all([
    on
      .select()
      .from(archivedIbans)
      .where(sql`${archivedIbans.address} in ${asked}`),
    on
      .select()
      .from(ibans)
      .where(and(isNotNull(ibans.iban), sql`${ibans.address} in ${asked}`)),
  ]);
  return new Map(
    [...kept, ...present].flatMap(({ address, userId }) => (address === null ? [] : [[address, userId] as const])),
  );
}

/** Records a callback; false when the same one was recorded before. */
export async function insertEmoneyCallback(tx: Tx, row: typeof emoneyCallbacks.$inferInsert): Promise<boolean> {
  const written = await tx.insert(emoneyCallbacks).values(row).onConflictDoNothing().returning();
  return written.length === 1;
}

export async function insertOauthState(tx: Tx, row: typeof oauthStates.$inferInsert): Promise<void> {
  await tx.insert(oauthStates).values(row);
}

/** The consent under way that a state names; null when it is unknown, used or too old. */
export async function findOauthState(on: Executor, stateHash: string, now: Date): Promise<OauthState | null> {
  const [row] = await on
    .select()
    .from(oauthStates)
    .where(and(eq(oauthStates.stateHash, stateHash), gt(oauthStates.expiresAt, now)))
    .limit(1);
  return row ?? null;
}

/** Takes a state out, so that it serves once; null when it is unknown, used or too old. */
export async function consumeOauthState(on: Executor, stateHash: string, now: Date): Promise<OauthState | null> {
  const [row] = await on
    .delete(oauthStates)
    .where(and(eq(oauthStates.stateHash, stateHash), gt(oauthStates.expiresAt, now)))
    .returning();
  return row ?? null;
}

export async function deleteOauthStates(tx: Tx, userId: string): Promise<void> {
  await tx.delete(oauthStates).where(eq(oauthStates.userId, userId));
}
