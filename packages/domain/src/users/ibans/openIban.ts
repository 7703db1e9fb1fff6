import { CardkeepError } from "@cardkeep/contract/core/errors";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findIban, type Iban, updateIban } from "@cardkeep/db/queries/users/ibans";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { AssignedIban, ConsentTokens } from "@cardkeep/providers/emoney/port";
import { ProviderRefused } from "@cardkeep/providers/http";
import { canHaveIban, watchIban } from "./watchIban.ts";
import type { WorkerContext } from "../../core/context.ts";
import { openProfile } from "./askInstitution.ts";
import { openTokens, renewTokens } from "./consentTokens.ts";
import { assign, changeIbanStatus, keepIban, nameKeptIban, profileIdOf } from "./iban.ts";
import { isSame, lockIban } from "./requestIban.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";

const lookMsMin = 1_000;
const lookMsMax = 60_000;

/**
 * Continues a requested IBAN to its end: profile, linked address, IBAN.
 *
 * Each step is asked for under the same name however often, so this may die anywhere and begin again. Callbacks only
 * make it faster. For a person who may have no IBAN by now, the request ends and the institution is asked nothing.
 */
export async function openIban(ctx: WorkerContext, { userId, requestId }: { userId: string; requestId: string }) {
  const row = await findIban(ctx.db, userId);
  if (!row || row.attempt === null) return;
  const step = row.status === "NOTSTARTED" ? takeOn : row.status === "PENDING" ? setUp : null;
  if (!step) return;
  const user = await findUser(ctx.db, userId);
  await (user && canHaveIban(user) ? step(ctx, row, requestId) : giveUp(ctx, row));
}

/** Ends a request. The institution may still open what it was asked for, so a blocked person has a case. */
async function giveUp(ctx: WorkerContext, row: Iban): Promise<void> {
  await ctx.commit(async (work) => {
    const fresh = await lockIban(work, row.userId);
    if (!isSame(fresh, row)) return;
    const ended = { attempt: null, linkedProfileId: null, sealedToken: null, updatedAt: work.now };
    if (fresh.status === "NOTSTARTED") return void (await updateIban(work.tx, row.userId, ended));
    await keepIban(work, fresh);
    await changeIbanStatus(work, fresh, "NOTSTARTED", ended);
    await watchIban(work, row.userId);
  });
}

async function takeOn(ctx: WorkerContext, row: Iban, requestId: string): Promise<void> {
  const outcome = await openProfile(ctx, row).catch((error: unknown) => {
    if (error instanceof CardkeepError && error.code === "request.rate_limited") return "asksTooOften" as const;
    throw error;
  });
  await ctx.commit(async (work) => {
    const fresh = await lockIban(work, row.userId);
    if (!isSame(fresh, row)) return;
    if (outcome === "asksTooOften") {
      const windowMs = ctx.policy.quotas.kyc.withinSeconds * 1_000;
      return enqueue(work.tx, "iban.open", { userId: row.userId, requestId }, windowMs);
    }
    await changeIbanStatus(work, fresh, outcome === "exists" ? "PENDING_OAUTH" : "PENDING");
    if (outcome === "created") await enqueue(work.tx, "iban.open", { userId: row.userId, requestId });
  });
}

type Progress = "turnedDown" | "consentEnded" | "waiting" | AssignedIban;

async function setUp(ctx: WorkerContext, row: Iban, requestId: string): Promise<void> {
  const progress = await ask(ctx, row);
  await ctx.commit(async (work) => {
    const fresh = await lockIban(work, row.userId);
    if (!isSame(fresh, row)) {
      // Reset meanwhile.
      if (typeof progress === "object") await nameKeptIban(work, { userId: row.userId, ...progress });
      return;
    }
    if (progress === "turnedDown") {
      ctx.log.warn({ userId: row.userId }, "the e-money institution turned a person down");
      // It may open after all what it was asked for.
      await keepIban(work, fresh);
      await changeIbanStatus(work, fresh, "NOTSTARTED", { attempt: null, sealedToken: null });
      return;
    }
    // Other tokens: another run renewed them meanwhile.
    if (progress === "consentEnded" && fresh.sealedToken === row.sealedToken) {
      await keepIban(work, fresh);
      await changeIbanStatus(work, fresh, "PENDING_OAUTH", { linkedProfileId: null, sealedToken: null });
      return;
    }
    if (typeof progress === "object") {
      if (await assign(work, fresh, progress)) return;
      ctx.log.error({ userId: row.userId }, "the e-money institution reported an IBAN that is not this user's");
    }
    const ageMs = work.now.getTime() - fresh.updatedAt.getTime();
    const delayMs = spaceLooks(ageMs, { minMs: lookMsMin, maxMs: lookMsMax });
    await enqueue(work.tx, "iban.open", { userId: row.userId, requestId }, delayMs);
  });
}

/** Every step that may be left; all of them may be asked for again. @throws SecretUnreadable: the job waits for the key */
async function ask(ctx: WorkerContext, row: Iban): Promise<Progress> {
  const tokens = await openTokens(ctx, row);
  if (row.linkedProfileId !== null && tokens === null) return "consentEnded";
  await ctx.emoney.subscribe({ url: ctx.policy.emoney.institutionCallbackUrl });
  if (tokens === null) return advance(ctx, row, null);
  const progress = await advanceFor(ctx, row, tokens);
  if (progress !== "consentEnded" || tokens.refreshToken === null) return progress;
  const renewed = await renewTokens(ctx, row, tokens.refreshToken);
  return renewed ? advanceFor(ctx, row, renewed) : "consentEnded";
}

/** The steps as the person; their token lasts an hour. */
async function advanceFor(ctx: WorkerContext, row: Iban, { accessToken }: ConsentTokens): Promise<Progress> {
  try {
    return await advance(ctx, row, accessToken);
  } catch (error) {
    if (error instanceof ProviderRefused && error.status === 401) return "consentEnded";
    throw error;
  }
}

async function advance({ emoney }: WorkerContext, row: Iban, accessToken: string | null): Promise<Progress> {
  const { userId, address, signature } = row;
  if (address === null || signature === null) throw new Error(`The IBAN of ${userId} is pending without a signature`);
  const profileId = profileIdOf(row);
  const state = await emoney.getProfileState({ profileId, accessToken });
  if (state !== "approved") return state === "rejected" ? "turnedDown" : "waiting";
  await emoney.linkAddress({ profileId, address, signature, accessToken });
  await emoney.requestIban({ address, accessToken });
  return (await emoney.findIban({ profileId, address, accessToken })) ?? "waiting";
}
