/** One person at the issuer: the status, where one call reaches all cards of the person, and the details. */
import {
  type Cardholder,
  type CardholderChange,
  forgetRefusedDetails,
  listStandings,
  lockCardholder,
  updateCardholder,
} from "@cardkeep/db/queries/cards/cardholders";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { Executor } from "@cardkeep/db/client";
import { enqueue, enqueueIfNone } from "@cardkeep/db/queue/enqueue";
import { ProviderPostponed, ProviderRefused } from "@cardkeep/providers/http";
import type { Cardholder as Details } from "@cardkeep/providers/issuer/port";
import { announceCall, type CallSubject, sendCall } from "./issuerCall.ts";
import type { CommitContext, Context, Work, WorkerContext } from "../context.ts";
import { digestDetails, findDetails } from "./buildDetails.ts";
import { discloseIdentity } from "../records/discloseIdentity.ts";
import { asAtIssuer } from "./asAtIssuer.ts";
import { isContactNew } from "./contactWindow.ts";
import { cardholderStatusOf, findBlock, findOpenSince } from "./findBlock.ts";

/** Three requests to the issuer at most, each within the time limit of a partner. */
const callMs = 12_000;
const againMs = 1_000;

/** In the commit of a change of what `findBlock` or `findDetails` reads of a person: adds the job that syncs the issuer. */
export const enqueueCardholderSync = (
  { tx, requestId }: { tx: Executor; requestId: string },
  userId: string,
): Promise<void> => enqueue(tx, "cardholder.sync", { userId, requestId });

/**
 * Syncs a person at the issuer with what follows from the records, until both agree: the status first.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function syncCardholder(ctx: WorkerContext, { userId }: { userId: string }): Promise<void> {
  const subject = cardholderCall(ctx, userId);
  const call = await announceCall(ctx, subject, callMs);
  if (call.kind === "synced") return awaitWindow(ctx, userId);
  if (call.kind === "busy")
    return enqueue(ctx.db, "cardholder.sync", { userId, requestId: ctx.requestId }, call.busyMs);
  try {
    await sendCall(ctx, subject, call);
  } catch (error) {
    if (error instanceof ProviderPostponed)
      return ctx.commit((work) => (isStatusCall(call.row) ? askAgain(work, userId) : postpone(work, call.row)));
    if (!(error instanceof ProviderRefused)) throw error;
    // Only the operator can resolve it, and sees the failed job. The cards decline here all the while.
    const what = isStatusCall(call.row) ? call.row.issuerStatus : "with new details";
    throw new Error(`The card issuer refuses to have user ${userId} ${what}`, { cause: error });
  }
  ctx.log.info({ userId, status: call.row.issuerStatus }, "a person at the issuer is synced");
  return awaitWindow(ctx, userId);
}

/**
 * While the issuer reviews a person it takes no details. They are sent again at the end of the review, before a card is
 * made, and each hour.
 */
async function postpone(work: Work, { userId, issuerDetails, issuerSyncedDetails }: Cardholder): Promise<void> {
  await lockCardholder(work.tx, userId);
  await recordCall(work, userId, { issuerRefusedDetails: issuerDetails, issuerSyncedDetails });
}

/** Writes what a call changed of a locked row. Of a person who was erased meanwhile no digest of the details is written. */
async function recordCall({ tx }: Work, userId: string, change: CardholderChange): Promise<void> {
  const erased = { issuerSyncedDetails: null, issuerRefusedDetails: null };
  const user = await findUser(tx, userId);
  await updateCardholder(tx, userId, { ...change, ...(user?.erasedAt != null && erased) });
}

/** The issuer takes the status at any time, and not so many calls at once: it did not take this one. */
const askAgain = ({ tx, requestId }: Work, userId: string): Promise<void> =>
  enqueue(tx, "cardholder.sync", { userId, requestId }, againMs);

/** After the end of a review: sends details again that the issuer refused. */
export async function retryDetails(work: Work, userId: string): Promise<void> {
  if (await forgetRefusedDetails(work.tx, userId)) await enqueueCardholderSync(work, userId);
}

/** The end of the window after a change of a contact changes the details. The hourly comparison finds a lost job. */
async function awaitWindow(ctx: WorkerContext, userId: string): Promise<void> {
  await ctx.commit(async ({ tx, now, requestId }) => {
    const user = await findUser(tx, userId);
    if (!user?.contactSettlesAt || !isContactNew(user, now)) return;
    const waitMs = user.contactSettlesAt.getTime() - now.getTime();
    // A job that waits already is that of a newer change, and asks for this one itself.
    await enqueueIfNone(tx, "cardholder.sync", { userId, requestId }, waitMs);
  });
}

/**
 * Brings a person's details to the issuer before a card is made. False while another call is under way.
 *
 * @throws ProviderUnavailable, ProviderRefused
 */
export async function syncDetails(ctx: CommitContext, userId: string): Promise<boolean> {
  const subject = cardholderCall(ctx, userId);
  // Details that were refused before are tried again.
  await ctx.commit(async (work) => {
    if (await lockCardholder(work.tx, userId)) await updateCardholder(work.tx, userId, { issuerRefusedDetails: null });
  });
  // The first call may be about the status.
  for (let callsLeft = 2; callsLeft > 0; callsLeft--) {
    const call = await announceCall(ctx, subject, callMs);
    if (call.kind === "synced") return true;
    if (call.kind === "busy") return false;
    await sendCall(ctx, subject, call);
  }
  return (await announceCall(ctx, subject, 0)).kind === "synced";
}

type LockedCardholder = Cardholder & { readonly details: Details | null };

/** Whether the next call sets the status: also where it is not known, as after a lost call. */
const isStatusCall = (row: Cardholder): boolean =>
  row.issuerStatus !== row.issuerSyncedStatus || row.issuerCallEndsAt !== null;

/** The calls of one person. What the issuer should have is derived anew behind each lock. */
const cardholderCall = (
  ctx: Pick<Context, "issuer" | "policy" | "db" | "clock">,
  userId: string,
): CallSubject<LockedCardholder> => ({
  lock: async ({ tx, now }) => {
    const cardholder = await lockCardholder(tx, userId);
    const [standing] = cardholder ? await listStandings(tx, [userId], findOpenSince(ctx.policy, now)) : [];
    if (!cardholder || !standing) return null;
    const details = findDetails(await asAtIssuer(tx, await findUser(tx, userId), now), now);
    const issuerStatus = cardholderStatusOf(findBlock(standing, ctx.policy));
    const issuerDetails = digestWanted(cardholder, details);
    if (issuerStatus !== cardholder.issuerStatus || issuerDetails !== cardholder.issuerDetails)
      await updateCardholder(tx, userId, { issuerStatus, issuerDetails });
    return { ...cardholder, issuerStatus, issuerDetails, details };
  },
  update: (work, change) => recordCall(work, userId, change),
  send: async (row, timeoutMs) => {
    const { issuerId, issuerStatus, details } = row;
    if (isStatusCall(row) || details === null) return ctx.issuer.setCardholderStatus(issuerId, issuerStatus, timeoutMs);
    await discloseIdentity(ctx, userId, "issuer");
    await ctx.issuer.saveCardholder(details, issuerId);
  },
  describe: (row) =>
    isStatusCall(row)
      ? { begun: {}, sent: { issuerSyncedStatus: row.issuerStatus }, refused: {} }
      : {
          // A call that is lost may still arrive: until one is answered, the details at the issuer are not known.
          begun: { issuerSyncedDetails: null },
          sent: { issuerSyncedDetails: row.issuerDetails },
          refused: { issuerSyncedDetails: row.issuerSyncedDetails, issuerRefusedDetails: row.issuerDetails },
        },
  enqueue: (work) => enqueueCardholderSync(work, userId),
  dequeue: null,
});

/** Digest of the details that the issuer should have: those that it has where there are none, or where it refused them. */
export function digestWanted(
  { issuerSyncedDetails, issuerRefusedDetails }: Cardholder,
  details: Details | null,
): string | null {
  const digest = details && digestDetails(details);
  return digest === null || digest === issuerRefusedDetails ? issuerSyncedDetails : digest;
}
