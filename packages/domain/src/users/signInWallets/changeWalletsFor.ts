/**
 * What operators do about the sign-in wallets of a person who cannot, such as after a thief removed the person's own and added
 * another one. A second person approves it: who signs in has the account. The user gets a warning.
 *
 * The action log has the ids of wallets alone, and a request has the address sealed by the person's key: an address is personal data,
 * and ends with that key.
 */
import { fail } from "@cardkeep/contract/core/errors";
import { type Address, address as addressSchema } from "@cardkeep/contract/core/primitives";
import { listSignInWallets, lockUser, removeSignInWallet, type SignInWallet } from "@cardkeep/db/queries/users/users";
import { z } from "zod";
import type { OperatorContext } from "../../core/context.ts";
import { notify } from "../../core/messages/notify.ts";
import { hasRole } from "../../core/operators/requireRole.ts";
import { findPersonSecrets, isSealedByPerson, openPersonKey } from "../../core/records/personKey.ts";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import { readApproval, requireApproval } from "../../operators/approvals/requireApproval.ts";
import { resolveUser } from "../users/listUsers.ts";
import { bindWallet, notifyOfRemoval, requireWallet } from "./addWallet.ts";

const walletVerbs = ["users.add-wallet", "users.remove-wallet"] as const;
type WalletVerb = (typeof walletVerbs)[number];

/** A person, by id, mail address, wallet or Safe, and the address of a wallet. */
interface Given {
  readonly reference: string;
  readonly wallet: string;
}

/**
 * Adds a sign-in wallet to a person, unproven until it signs in. Its first sign-in is another warning.
 *
 * @throws users.not_found, request.invalid, signInWallets.unsuitable, signInWallets.too_many, signInWallets.taken, also where
 *   it signed up for itself meanwhile, operators.approval_needed
 */
export async function addWalletFor(ctx: OperatorContext, given: Given): Promise<SignInWallet> {
  const { userId, address } = await requireAsked(ctx, "users.add-wallet", given);
  requireWallet(ctx, address);
  return ctx.act("users.add-wallet", async (work) => {
    const user = await lockUser(work.tx, userId);
    if (!user || user.erasedAt !== null) fail("users.not_found");
    const output = await bindWallet(work, { userId, address });
    await notify(work, { userId, what: "added", address, id: output.id });
    return { output, subject: { kind: "user", id: userId }, before: null, after: { walletId: output.id } };
  });
}

/**
 * Removes a sign-in wallet of a person and ends its tokens, also where it is the last one: a thief may have left no other. The
 * person signs in again once another wallet is added.
 *
 * @throws users.not_found, request.invalid, signInWallets.not_found, operators.approval_needed
 */
export async function removeWalletFor(ctx: OperatorContext, given: Given): Promise<SignInWallet> {
  const { userId, address } = await requireAsked(ctx, "users.remove-wallet", given);
  return ctx.act("users.remove-wallet", async (work) => {
    const { tx, now, afterCommit } = work;
    if (!(await lockUser(tx, userId))) fail("users.not_found");
    const wallets = await listSignInWallets(tx, userId);
    const output =
      wallets.find((wallet) => wallet.address === address) ??
      fail("signInWallets.not_found", { text: "This user has no such sign-in wallet" });
    if (await removeSignInWallet(tx, output.id, now)) afterCommit(() => ctx.accessTokens.end(output.id));
    await notifyOfRemoval(work, output);
    const after = { wallets: wallets.length - 1 };
    return { output, subject: { kind: "user", id: userId }, before: { walletId: output.id }, after };
  });
}

/** Finds the person, and asks a second one. @throws users.not_found, request.invalid, operators.approval_needed */
async function requireAsked(
  ctx: OperatorContext,
  verb: WalletVerb,
  { reference, wallet }: Given,
): Promise<{ userId: string; address: Address }> {
  const address = addressSchema.safeParse(wallet.trim()).data ?? fail("request.invalid", { text: "Give an address" });
  const { id: userId } = await resolveUser(ctx.db, reference);
  await requireApproval(ctx, verb, {
    input: { reference: userId },
    subject: { kind: "user", id: userId },
    seal: async (work) => {
      const user = await lockUser(work.tx, userId);
      if (!user || user.erasedAt !== null) fail("users.not_found");
      const secrets = await openPersonKey(ctx, work, userId);
      return secrets.seal(userId, JSON.stringify({ wallet: address }));
    },
  });
  return { userId, address };
}

/** The input of a request about a wallet. */
export const sealedWallet = z.object({ reference: z.string(), sealed: z.string() });
type SealedWallet = z.output<typeof sealedWallet>;

/** The wallet of a request; null where no key opens it any more. Requests of the release before were sealed by the service's key. */
async function openWallet(ctx: OperatorContext, { reference, sealed }: SealedWallet): Promise<string | null> {
  try {
    const secrets = isSealedByPerson(sealed) ? await findPersonSecrets(ctx, ctx.db, reference) : ctx.secrets;
    if (secrets === null) return null;
    return z.object({ wallet: z.string() }).parse(JSON.parse(await secrets.unseal(reference, sealed))).wallet;
  } catch (error) {
    if (error instanceof SecretUnreadable) return null;
    throw error;
  }
}

/**
 * The wallet that a waiting request is about, for an operator who may approve it: others, lists and the log have none. Null also where
 * no key opens it any more.
 */
export async function findAskedWallet(ctx: OperatorContext, id: string): Promise<string | null> {
  const { verb, status, input } = await readApproval(ctx, id);
  const asked = walletVerbs.find((each) => each === verb);
  if (asked === undefined || status !== "WAITING" || !hasRole(ctx.actor, asked)) return null;
  return openWallet(ctx, sealedWallet.parse(input));
}

/** Runs either of both with the wallet of an approved request. @throws users.not_found where no key opens it any more */
export const changeWalletAsAsked =
  (run: typeof addWalletFor) =>
  async (ctx: OperatorContext, asked: SealedWallet): Promise<SignInWallet> => {
    const text = "No key opens the wallet of this request any more: the person was erased, or a key is lost";
    const wallet = (await openWallet(ctx, asked)) ?? fail("users.not_found", { text });
    return run(ctx, { reference: asked.reference, wallet });
  };
