import { findOauthState } from "@cardkeep/db/queries/users/ibans";
import { findUser, listSignInWallets, lockUser, updateUser, type User } from "@cardkeep/db/queries/users/users";
import { hashSecret } from "../../core/secrets/randomSecret.ts";
import { checkCode, isCodeAwaited, reserveCode } from "../../core/codes/reserveCode.ts";
import { emailCodes } from "../../core/codes/policy.ts";
import type { CommitContext, Context } from "../../core/context.ts";
import { composeMail, languageOf } from "../../core/messages/composeMessage.ts";
import { refuseUnsent } from "../../core/messages/refuseUnsent.ts";
import { lockUserEach } from "../../core/lockUserEach.ts";
import { buildConsentUrl, openVerifier } from "./beginConsent.ts";

/** What the page does next: offer to mail a code, ask for it, or go on to the institution. `expired`: no consent is under way. */
export type EmailStep =
  | { readonly kind: "expired" }
  | { readonly kind: "offer" | "code"; readonly fault: "wrong" | null; readonly language: string | null }
  | { readonly kind: "consent"; readonly url: string };

interface Begun {
  readonly user: User;
  readonly consentUrl: string;
}

/** The user and the institution's page of a consent under way; null for an unknown, used or old state. */
async function findBegun(ctx: Context, state: string): Promise<Begun | null> {
  const begun = await findOauthState(ctx.db, hashSecret(state), await ctx.clock.now(ctx.db));
  const user = begun && (await findUser(ctx.db, begun.userId));
  const verifier = begun && (await openVerifier(ctx, begun));
  if (!user || verifier === null || user.status !== "ACTIVE") return null;
  return { user, consentUrl: buildConsentUrl(ctx, user, { state, verifier }) };
}

/** The step that a consent's page is at; nothing is sent before the person asks for it. */
export async function showEmailStep(ctx: Context, state: string): Promise<EmailStep> {
  const begun = await findBegun(ctx, state);
  if (!begun) return { kind: "expired" };
  const { user, consentUrl } = begun;
  if (user.emailProvenAt !== null) return { kind: "consent", url: consentUrl };
  const isAwaited = await isCodeAwaited(ctx, emailCodes, partiesOf(user));
  return { kind: isAwaited ? "code" : "offer", fault: null, language: user.language };
}

const minutes = emailCodes.lifetimeMs / 60_000;

const partiesOf = ({ id, email }: User) => ({ subject: `consent:${id}`, receiver: email.toLowerCase() });

/**
 * Mails a code to the user's address. The mail names the wallet that asks, so that a person recognises a stranger who
 * signed up with their address.
 *
 * @throws request.rate_limited beyond one mail a minute or five an hour, auth.mail_unavailable, auth.token_invalid after an erasure
 */
export async function sendEmailCode(ctx: CommitContext, state: string): Promise<EmailStep> {
  const begun = await findBegun(ctx, state);
  if (!begun) return { kind: "expired" };
  const { user } = begun;
  const wallets = (await listSignInWallets(ctx.db, user.id)).filter(({ provenAt }) => provenAt !== null);
  const reserved = await reserveCode(lockUserEach(ctx, { userId: user.id }), emailCodes, partiesOf(user));
  const wallet = wallets.at(-1)?.address ?? "-";
  const mail = composeMail(ctx, languageOf(ctx, user), "code.link", {
    values: { minutes, wallet },
    code: reserved.code,
  });
  await ctx.mailer.send({ to: user.email, ...mail }).catch((cause: unknown) => refuseUnsent(ctx, reserved, cause));
  return { kind: "code", fault: null, language: user.language };
}

/** Proves the user's address by the mailed code, for this and every later consent. @throws auth.token_invalid after an erasure */
export async function proveEmail(ctx: CommitContext, state: string, code: string): Promise<EmailStep> {
  const begun = await findBegun(ctx, state);
  if (!begun) return { kind: "expired" };
  const { user, consentUrl } = begun;
  const useCode = await checkCode(ctx, emailCodes, partiesOf(user), code);
  const isProven =
    useCode !== null &&
    (await lockUserEach(ctx, { userId: user.id }).commit(async ({ tx, now }) => {
      if (!(await useCode(tx, now))) return false;
      // A sign-up may have taken the address meanwhile.
      if ((await lockUser(tx, user.id))?.email !== user.email) return false;
      await updateUser(tx, user.id, { emailProvenAt: now });
      return true;
    }));
  return isProven ? { kind: "consent", url: consentUrl } : { kind: "code", fault: "wrong", language: user.language };
}
