/** Users, their sign-in wallets and the terms they accepted. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { and, desc, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import type { Executor, Tx } from "../../client.ts";
import { isUniqueViolation } from "../../errors.ts";
import { prepareRow, prepareRows } from "../../rows.ts";
import { isOneOf } from "../../schema/columns.ts";
import { removedSignInWallets, safes, signInWallets, users } from "../../schema/tables.ts";
import { keepWarning } from "./warnings.ts";
import { endTokensMadeBy } from "./tokens.ts";

export type User = typeof users.$inferSelect;
export type SignInWallet = typeof signInWallets.$inferSelect;

export const findUser = (on: Executor, id: string): Promise<User | null> => selectUser(on, { id });

const isThisUser = sql`where ${users.id} = ${sql.placeholder("id")}`;
const selectUser = prepareRow<"id", typeof users>(users, isThisUser);
const selectLocked = prepareRow<"id", typeof users>(users, sql`${isThisUser} for no key update`);

/** Users by their ids, in no order. */
export async function listUsersById(on: Executor, ids: readonly string[]): Promise<User[]> {
  if (ids.length === 0) return [];
  return on
    .select()
    .from(users)
    .where(sql`${users.id} in (select json_array_elements_text(${JSON.stringify(ids)}::json))`);
}

/** The user with an e-mail address, in any letter case. */
export async function findUserByEmail(on: Executor, email: string): Promise<User | null> {
  const [row] = await on
    .select()
    .from(users)
    .where(eq(sql`lower(${users.email})`, email.toLowerCase()))
    .limit(1);
  return row ?? null;
}

/** The user whose sign-in wallet or Safe has an address. */
export async function findUserByAddress(on: Executor, address: Address): Promise<User | null> {
  const wallets = on.select({ id: signInWallets.userId }).from(signInWallets).where(eq(signInWallets.address, address));
  const accounts = on.select({ id: safes.userId }).from(safes).where(eq(safes.address, address));
  const [row] = await on
    .select()
    .from(users)
    .where(inArray(users.id, union(wallets, accounts)))
    .limit(1);
  return row ?? null;
}

/** Users, newest first, as their ids are; `after` names the last row of the page before. */
export async function listUsers(
  on: Executor,
  input: {
    status: User["status"] | null;
    kycStatus: User["kycStatus"] | null;
    /** Those in debt only. */
    isOwing: boolean;
    after: string | null;
    limit: number;
  },
): Promise<User[]> {
  return on
    .select()
    .from(users)
    .where(
      and(
        input.status === null ? undefined : isOneOf(users.status, [input.status]),
        input.kycStatus === null ? undefined : eq(users.kycStatus, input.kycStatus),
        input.isOwing ? sql`${users.id} in (select user_id from card_debts)` : undefined,
        input.after === null ? undefined : lt(users.id, input.after),
      ),
    )
    .orderBy(desc(users.id))
    .limit(input.limit);
}

export const lockUser = (tx: Tx, id: string): Promise<User | null> => selectLocked(tx, { id });

/** Takes the row locks of several users, in the order of their ids. */
export async function lockUsers(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of [...new Set(ids)].toSorted()) await lockUser(tx, id);
}

/** Takes the lock of an erasure, which waits for every transaction that writes something of the user. */
export async function lockUserForErasure(tx: Tx, id: string): Promise<User | null> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for("update");
  return row ?? null;
}

/** Holds off the erasure of a user until the transaction ends; false where there is no such user, or not any more. */
export async function holdUser(tx: Tx, id: string): Promise<boolean> {
  const row = await selectHeld(tx, { id });
  return row?.erasedAt === null;
}

const selectHeld = prepareRow<"id", typeof users>(users, sql`${isThisUser} for key share`);

/** A user, and the sign-in wallet that acts for it, where one does. */
export interface ActingUser {
  readonly userId: string;
  readonly walletId?: string;
}

/** Holds off the erasure of a user who acts; null as above, and where the user has the wallet no more. */
export async function holdActing(tx: Tx, { userId, walletId }: ActingUser): Promise<User | null> {
  const row = await selectActing(tx, { id: userId, walletId: walletId ?? null });
  return row?.erasedAt === null ? row : null;
}

const isOfWallet = sql`(${sql.placeholder("walletId")}::text is null or exists (select from ${signInWallets}
  where ${signInWallets.id} = ${sql.placeholder("walletId")}::text and ${signInWallets.userId} = ${users.id}))`;
const selectActing = prepareRow<"id" | "walletId", typeof users>(
  users,
  sql`${isThisUser} and ${isOfWallet} for key share of ${users}`,
);

export async function findSignInWallet(on: Executor, address: Address): Promise<SignInWallet | null> {
  const [row] = await on.select().from(signInWallets).where(eq(signInWallets.address, address)).limit(1);
  return row ?? null;
}

/** Inserts a sign-in wallet; null when the address belongs to anyone already. */
export async function insertSignInWallet(tx: Tx, row: typeof signInWallets.$inferInsert): Promise<SignInWallet | null> {
  const [inserted] = await tx.insert(signInWallets).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}

/** Records that a wallet signed; false, and nothing changes, where it had signed before or was removed. */
export async function proveSignInWallet(on: Executor, id: string, provenAt: Date): Promise<boolean> {
  const proven = await on
    .update(signInWallets)
    .set({ provenAt })
    .where(and(eq(signInWallets.id, id), isNull(signInWallets.provenAt)))
    .returning({ id: signInWallets.id });
  return proven.length > 0;
}

/**
 * Removes a sign-in wallet with the tokens that it made, and remembers that it was there, by the database's clock: those of
 * servers differ. One that never signed in has no token to end, and is not remembered: anyone adds and removes any number.
 *
 * @returns whether it is remembered, as one is whose row an erasure deleted before
 */
export async function removeSignInWallet(tx: Tx, id: string, now: Date): Promise<boolean> {
  const [gone] = await tx.delete(signInWallets).where(eq(signInWallets.id, id)).returning();
  if (gone) {
    await endTokensMadeBy(tx, { userId: gone.userId, madeBy: gone.address, now });
    await keepWarning(tx, gone);
  }
  if (gone?.provenAt === null) return false;
  await tx.insert(removedSignInWallets).values({ id, removedAt: sql`clock_timestamp()` });
  return true;
}

/** Inserts a user with the first sign-in wallet; false when the e-mail address or the wallet is taken. */
export async function insertUser(
  tx: Tx,
  user: typeof users.$inferInsert,
  wallet: typeof signInWallets.$inferInsert,
): Promise<boolean> {
  try {
    await tx.transaction(async (savepoint) => {
      await savepoint.insert(users).values(user);
      await savepoint.insert(signInWallets).values(wallet);
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

export async function updateUser(tx: Tx, id: string, change: Partial<typeof users.$inferInsert>): Promise<void> {
  await tx.update(users).set(change).where(eq(users.id, id));
}

/** Who validated a phone number. */
export async function findPhoneHolder(on: Executor, phone: string): Promise<User | null> {
  const isValidated = and(eq(users.phone, phone), eq(users.isPhoneValidated, true));
  const [row] = await on.select().from(users).where(isValidated).limit(1);
  return row ?? null;
}

/** Marks a user's phone number as validated. False when another user validated the number first. */
export const validatePhone = (tx: Tx, id: string, change: Partial<typeof users.$inferInsert>): Promise<boolean> =>
  updateUnlessTaken(tx, id, { ...change, isPhoneValidated: true });

/** Replaces a user's mail address. False when another user has it. */
export const replaceEmail = (
  tx: Tx,
  id: string,
  change: Partial<typeof users.$inferInsert> & { email: string },
): Promise<boolean> => updateUnlessTaken(tx, id, change);

async function updateUnlessTaken(tx: Tx, id: string, change: Partial<typeof users.$inferInsert>): Promise<boolean> {
  try {
    await tx.transaction((savepoint) => updateUser(savepoint, id, change));
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

export const listSignInWallets = (on: Executor, userId: string): Promise<SignInWallet[]> =>
  selectWallets(on, { userId });

const selectWallets = prepareRows<"userId", typeof signInWallets>(
  signInWallets,
  sql`where ${signInWallets.userId} = ${sql.placeholder("userId")} order by ${signInWallets.createdAt} desc`,
);

/** How many users signed up with an upper-case code, and how many of them ever had a card. */
export async function countReferrals(on: Executor, code: string): Promise<{ all: number; completed: number }> {
  const [row] = await on
    .select({
      all: sql<number>`count(*)::int`,
      completed: sql<number>`(count(*) filter (where exists (select from cards c where c.user_id = users.id)))::int`,
    })
    .from(users)
    .where(sql`upper(${users.referralCouponCode}) = ${code}`);
  return row ?? { all: 0, completed: 0 };
}
