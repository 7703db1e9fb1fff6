import { isWallet } from "@cardkeep/chain/owners";
import { fail } from "@cardkeep/contract/core/errors";
import type { Address } from "@cardkeep/contract/core/primitives";
import { findSafeByAddress, listSafes } from "@cardkeep/db/queries/accounts/safes";
import {
  insertSignInWallet,
  listSignInWallets,
  removeSignInWallet,
  type SignInWallet,
} from "@cardkeep/db/queries/users/users";
import type { Commit, Context, UserContext, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { lockActor } from "../../core/lockActor.ts";
import { listServiceAddresses } from "../../core/policy.ts";
import { notify } from "../../core/messages/notify.ts";
import { addressesOf } from "../../core/safeAccount.ts";

/** Wallets of one user, those that never signed included. */
const walletsMax = 20;

/**
 * Adds a sign-in wallet to the user, at most 20.
 *
 * The request carries no signature of the wallet. Until the wallet has signed in, the binding is unproven and does not count
 * for payments, ENS names and cashback. A wallet that was added may still sign up for itself; see `signUp`.
 *
 * @throws signInWallets.unsuitable, signInWallets.too_many, and signInWallets.taken when the address belongs to a user,
 *   this one included
 */
export async function addWallet(ctx: UserContext, { address }: { address: Address }): Promise<Commit<SignInWallet>> {
  const { userId } = ctx.actor;
  requireWallet(ctx, address);
  return async (work) => {
    // A thief whose wallet was removed must not leave another one.
    await lockActor(work.tx, ctx.actor);
    return bindWallet(work, { userId, address });
  };
}

/** @throws signInWallets.unsuitable for what is no wallet of a person */
export function requireWallet({ policy }: Pick<Context, "policy">, address: Address): void {
  if (!isWallet(address) || listServiceAddresses(policy).includes(address)) fail("signInWallets.unsuitable");
}

/**
 * Adds an unproven wallet to a locked user.
 *
 * @throws signInWallets.unsuitable, signInWallets.too_many, signInWallets.taken
 */
export async function bindWallet(
  work: Work,
  { userId, address }: { userId: string; address: Address },
): Promise<SignInWallet> {
  const { tx, now } = work;
  if (await isAccountContract(work, userId, address)) fail("signInWallets.unsuitable");
  if ((await listSignInWallets(tx, userId)).length >= walletsMax) fail("signInWallets.too_many");
  const wallet = { id: generateId(), userId, address, isAdded: true, createdAt: now };
  return (await insertSignInWallet(tx, wallet)) ?? fail("signInWallets.taken");
}

/** Whether an address is any user's Safe, or a module of this user's. */
async function isAccountContract({ tx }: Work, userId: string, address: Address): Promise<boolean> {
  if (await findSafeByAddress(tx, address)) return true;
  return (await listSafes(tx, userId)).some((safe) => Object.values(addressesOf(safe)).includes(address));
}

/**
 * Removes a sign-in wallet and ends its access tokens; its rights on chain stay. The user gets a warning of one that had signed in.
 *
 * @throws signInWallets.not_found, also for another user's; signInWallets.last
 */
export async function removeWallet(
  ctx: UserContext,
  { id }: { id: string },
): Promise<Commit<{ data: { id: string } }>> {
  const { userId } = ctx.actor;
  return async (work) => {
    const { tx, now, afterCommit } = work;
    // Two removals at once must not take the last two wallets.
    await lockActor(tx, ctx.actor);
    const wallets = await listSignInWallets(tx, userId);
    const removed = wallets.find((wallet) => wallet.id === id) ?? fail("signInWallets.not_found");
    // A wallet that never signed may belong to another person, so it does not count as a way to sign in.
    if (!wallets.some((wallet) => wallet.id !== id && wallet.provenAt !== null)) fail("signInWallets.last");
    if (await removeSignInWallet(tx, id, now)) afterCommit(() => ctx.accessTokens.end(id));
    await notifyOfRemoval(work, removed);
    return { data: { id } };
  };
}

/** A wallet that never signed in was no way into the account. Any other one may be the user's own, removed by a thief. */
export async function notifyOfRemoval(work: Work, { id, userId, address, provenAt }: SignInWallet): Promise<void> {
  if (provenAt !== null) await notify(work, { userId, what: "removed", address, id });
}

/** The wallets that may sign in for the user, newest first. */
export async function listWallets(ctx: UserContext): Promise<{ data: { eoaAccounts: SignInWallet[] } }> {
  return { data: { eoaAccounts: await listSignInWallets(ctx.db, ctx.actor.userId) } };
}
