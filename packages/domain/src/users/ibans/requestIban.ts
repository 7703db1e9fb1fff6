/** The request of an IBAN, for all endpoints that make one. */
import { normalizeSignature, recoverMessageSigner } from "@cardkeep/chain/signatures";
import { addressDeclaration } from "@cardkeep/contract/users/ibans";
import { fail } from "@cardkeep/contract/core/errors";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findIban, getOrInsertIban, type Iban, isUnderWay, updateIban } from "@cardkeep/db/queries/users/ibans";
import { findActiveSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { findUser, lockUser } from "@cardkeep/db/queries/users/users";
import { randomUUID } from "node:crypto";
import { canHaveIban } from "./watchIban.ts";
import type { Commit, Context, UserContext, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { getActiveSafe } from "../../core/safeAccount.ts";
import { askInstitution, openProfile } from "./askInstitution.ts";
import { beginConsent } from "./beginConsent.ts";
import { isEligible } from "./eligibility.ts";
import { changeIbanStatus } from "./iban.ts";
import { forgetIbanOfSafe } from "./resetIban.ts";

/** How soon a job continues a request whose process died. */
const recoveryMs = 10_000;

/**
 * Asks for the user's IBAN, and answers what `buildAnswer` makes of its row. A repeated request changes nothing while the
 * IBAN is under way or assigned.
 *
 * The intent is committed before the institution is asked. Where the process dies in between, a job continues with the same
 * profile. For a person who already has a profile there, `exists` gets the address of the consent page.
 *
 * @throws safes.not_found, ibans.unavailable, ibans.invalid_signature, ibans.signature_required, ibans.provider_unavailable,
 *   request.rate_limited
 */
export async function requestIban<T>(
  ctx: UserContext,
  input: { signature: Hex | undefined; callbackUrl: string | undefined },
  { buildAnswer, exists }: { buildAnswer: (row: Iban) => T; exists: (redirectUrl: string) => never },
): Promise<Commit<T>> {
  const safe = await getActiveSafe(ctx);
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.token_invalid");
  if (!isEligible(user, safe)) fail("ibans.unavailable");
  const known = await findIban(ctx.db, user.id);
  const stored = known?.address === safe.address ? known.signature : null;
  const given = input.signature ?? stored ?? fail("ibans.signature_required");
  const signature = given === stored ? stored : await requireOwner(ctx, safe, given);

  const row = await ctx.prepare((work) => writeIntent(work, { userId: user.id, safe, signature }));
  const outcome = await askWhatIsLeft(ctx, row);
  if (outcome === "exists") {
    return exists(
      await ctx.prepare(async (work) => {
        const fresh = await lockIban(work, user.id);
        if (isSame(fresh, row)) await changeIbanStatus(work, fresh, "PENDING_OAUTH");
        return beginConsent(ctx, work, user, input.callbackUrl);
      }),
    );
  }
  return async (work) => {
    const fresh = await lockIban(work, user.id);
    if (isSame(fresh, row)) {
      await changeIbanStatus(work, fresh, "PENDING");
      await enqueue(work.tx, "iban.open", { userId: user.id, requestId: work.requestId });
    }
    return buildAnswer(fresh);
  };
}

/**
 * The signature as contracts take it, where an owner of the Safe signed the declaration.
 * @throws ibans.invalid_signature
 */
async function requireOwner(ctx: Context, safe: Safe, signature: Hex): Promise<Hex> {
  const owners = await ctx.chain.listOwners(safe.delayAddress);
  const asked = owners.map((address) => ctx.chain.verifyMessage({ address, message: addressDeclaration, signature }));
  if (!(await Promise.all(asked)).includes(true)) fail("ibans.invalid_signature");
  const signer = await recoverMessageSigner(addressDeclaration, signature);
  return signer !== null && owners.includes(signer) ? normalizeSignature(signature) : signature;
}

async function writeIntent(
  work: Work,
  { userId, safe, signature }: { userId: string; safe: Safe; signature: Hex },
): Promise<Iban> {
  const { tx, now, requestId } = work;
  const user = (await lockUser(tx, userId)) ?? fail("auth.token_invalid");
  // A verdict may have come since the user was read.
  if (!canHaveIban(user)) fail("ibans.unavailable");
  // The Safe may have been reset.
  if ((await findActiveSafe(tx, userId))?.id !== safe.id) fail("safes.not_found");
  const known = await getOrInsertIban(tx, {
    userId,
    id: generateId(),
    status: "NOTSTARTED",
    profileId: randomUUID(),
    requestId,
    createdAt: now,
    updatedAt: now,
  });
  if (isUnderWay(known) && known.address === safe.address) return known;
  // Version 1.1.0 left the IBAN of a Safe that was reset.
  const row = isUnderWay(known) ? await forgetIbanOfSafe(work, known) : known;
  const change = { address: safe.address, signature, attempt: row.attempt ?? generateId(), requestId, updatedAt: now };
  await updateIban(tx, userId, change);
  if (row.status === "NOTSTARTED") await enqueue(tx, "iban.open", { userId, requestId }, recoveryMs);
  return { ...row, ...change };
}

/** What the institution says, where it has to be asked at all. */
async function askWhatIsLeft(ctx: Context, row: Iban): Promise<"created" | "exists" | "underWay"> {
  if (isUnderWay(row)) return "underWay";
  // The person agreed before there was a signature.
  if (row.linkedProfileId !== null && row.sealedToken !== null) return "created";
  return row.status === "PENDING_OAUTH" ? "exists" : askInstitution(openOnce(ctx, row));
}

const opening = new Map<string, ReturnType<typeof openProfile>>();

/** Requests of one person at the same time share one answer, so that they take one call of each partner. */
function openOnce(ctx: Context, row: Iban): ReturnType<typeof openProfile> {
  const begun = opening.get(row.profileId) ?? openProfile(ctx, row).finally(() => opening.delete(row.profileId));
  opening.set(row.profileId, begun);
  return begun;
}

/** The user's row behind the user's row lock, under which every change of it is made. */
export async function lockIban({ tx }: Work, userId: string): Promise<Iban> {
  if (!(await lockUser(tx, userId))) fail("auth.token_invalid");
  const row = await findIban(tx, userId);
  if (!row) throw new Error(`User ${userId} has no IBAN row`);
  return row;
}

/** Whether a row is still where it was when the institution was asked. */
export const isSame = (fresh: Iban, row: Iban): boolean =>
  fresh.status === row.status && fresh.attempt !== null && fresh.attempt === row.attempt;
