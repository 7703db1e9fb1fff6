import { enqueue } from "@cardkeep/db/queue/enqueue";
import {
  consumeOauthState,
  findIban,
  getOrInsertIban,
  isUnderWay,
  type OauthState,
  updateIban,
} from "@cardkeep/db/queries/users/ibans";
import { findActiveSafe } from "@cardkeep/db/queries/accounts/safes";
import { findUser, lockUser } from "@cardkeep/db/queries/users/users";
import type { Grant } from "@cardkeep/providers/emoney/port";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { randomUUID } from "node:crypto";
import { canHaveIban } from "./watchIban.ts";
import { hashSecret } from "../../core/secrets/randomSecret.ts";
import type { CommitContext, Context } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { askInstitution } from "./askInstitution.ts";
import { sealTokens } from "./consentTokens.ts";
import { changeIbanStatus } from "./iban.ts";
import { openVerifier } from "./beginConsent.ts";

/** `expired`: the state is unknown, used or too old, so the app that the person came from is unknown. */
export type ConsentOutcome = "linked" | "denied" | "failed" | "expired";

/**
 * Handles the return of a person from the consent page, and answers where to send them now.
 *
 * The state serves once. The granted profile must belong to this user's own, proven e-mail address: a link that another
 * person began must not connect this person's money to them. A person who may have no IBAN by now is not linked.
 */
export async function finishConsent(
  ctx: CommitContext,
  { state, code }: { state: string | null; code: string | null },
): Promise<{ outcome: ConsentOutcome; callbackUrl: string | null; language: string | null }> {
  const now = await ctx.clock.now(ctx.db);
  const begun = state === null ? null : await consumeOauthState(ctx.db, hashSecret(state), now);
  if (begun === null) return { outcome: "expired", callbackUrl: null, language: null };
  const outcome = code === null ? "denied" : await link(ctx, begun, code);
  ctx.log.info({ userId: begun.userId, outcome }, "e-money consent");
  const language = (await findUser(ctx.db, begun.userId))?.language ?? null;
  return { outcome, callbackUrl: begun.callbackUrl, language };
}

async function link(ctx: CommitContext, begun: OauthState, code: string): Promise<ConsentOutcome> {
  const { userId } = begun;
  const verifier = await openVerifier(ctx, begun);
  const user = await findUser(ctx.db, userId);
  if (verifier === null || !user || !canHaveIban(user) || user.emailProvenAt === null) return "failed";
  const before = await findIban(ctx.db, userId);
  const grant = await exchange(ctx, code, verifier);
  if (grant === null) return "failed";
  if (grant.email.toLowerCase() !== user.email.toLowerCase()) {
    ctx.log.warn({ userId }, "a consent names another person's profile");
    return "failed";
  }
  const sealedToken = await sealTokens(ctx, userId, grant);
  return ctx.commit(async (work) => {
    const { tx, requestId } = work;
    const locked = await lockUser(tx, userId);
    if (!locked || !canHaveIban(locked) || locked.email !== user.email) return "failed";
    const { now } = work;
    const fresh = { userId, id: generateId(), status: "NOTSTARTED", profileId: randomUUID(), requestId } as const;
    const row = await getOrInsertIban(tx, { ...fresh, createdAt: now, updatedAt: now });
    if (isUnderWay(row)) return "linked";
    // A reset forgets every consent, also the one whose code was exchanged meanwhile.
    if (row.updatedAt.getTime() !== (before?.updatedAt ?? now).getTime()) return "failed";
    const change = { linkedProfileId: grant.profileId, sealedToken, requestId, updatedAt: now };
    // A signature for a Safe that was reset opens nothing: the person signs for the present one.
    const isSigned = row.signature !== null && row.address === (await findActiveSafe(tx, userId))?.address;
    if (!isSigned) return (await updateIban(tx, userId, change)) ? "linked" : "failed";
    const attempt = row.attempt ?? generateId();
    if (!(await changeIbanStatus(work, row, "PENDING", { ...change, attempt }))) return "failed";
    await enqueue(tx, "iban.open", { userId, requestId });
    return "linked";
  });
}

async function exchange(ctx: Context, code: string, verifier: string): Promise<Grant | null> {
  const redirectUri = ctx.policy.emoney.consentReturnUrl;
  try {
    return await askInstitution(ctx.emoney.exchangeCode({ code, verifier, redirectUri }));
  } catch (error) {
    const cause = error instanceof Error ? error.cause : null;
    if (!(cause instanceof ProviderRefused || cause instanceof ProviderUnavailable)) throw error;
    ctx.log.warn({ err: cause }, "a consent's code was not exchanged");
    return null;
  }
}
