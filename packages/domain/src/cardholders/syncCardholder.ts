/** One person's status at the issuer, where one call reaches all cards of the person. */
import {
  type Cardholder,
  listStandings,
  lockCardholder,
  updateCardholder,
} from "@cardkeep/db/queries/cards/cardholders";
import type { Executor } from "@cardkeep/db/client";
import { dequeue, enqueue } from "@cardkeep/db/queue/enqueue";
import { ProviderRefused } from "@cardkeep/providers/http";
import { announceCall, type CallSubject, sendCall } from "./issuerCall.ts";
import type { Context, WorkerContext } from "../context.ts";
import { cardholderStatusOf, findBlock } from "./findBlock.ts";

/** One request to the issuer, within the time limit of a partner. */
const callMs = 4_000;

/** In the commit of a change of what `findBlock` reads of a person: adds the job that syncs the issuer. */
export const followPerson = ({ tx, requestId }: { tx: Executor; requestId: string }, userId: string): Promise<void> =>
  enqueue(tx, "cardholder.sync", { userId, requestId });

/**
 * Syncs a person's status at the issuer with what follows from the records, until both agree.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function syncCardholder(ctx: WorkerContext, { userId }: { userId: string }): Promise<void> {
  const subject = cardholderCall(ctx, userId);
  const call = await announceCall(ctx, subject, callMs);
  if (call.kind === "synced") return;
  if (call.kind === "busy")
    return enqueue(ctx.db, "cardholder.sync", { userId, requestId: ctx.requestId }, call.busyMs);
  try {
    await sendCall(ctx, subject, call);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    // Only the operator can resolve it, and sees the failed job. The cards decline here nevertheless.
    throw new Error(`The card issuer refuses to have user ${userId} ${call.row.issuerStatus}`, { cause: error });
  }
  ctx.log.info({ userId, status: call.row.issuerStatus }, "a person's status at the issuer is synced");
}

/** The calls of one person. The status that the issuer should have is derived anew behind each lock. */
const cardholderCall = (ctx: Pick<Context, "issuer" | "rules">, userId: string): CallSubject<Cardholder> => ({
  lock: async ({ tx }) => {
    const cardholder = await lockCardholder(tx, userId);
    const [standing] = cardholder ? await listStandings(tx, [userId]) : [];
    if (!cardholder || !standing) return null;
    const issuerStatus = cardholderStatusOf(findBlock(standing, ctx.rules));
    if (issuerStatus !== cardholder.issuerStatus) await updateCardholder(tx, userId, { issuerStatus });
    return { ...cardholder, issuerStatus };
  },
  update: ({ tx }, change) => updateCardholder(tx, userId, change),
  send: ({ issuerId, issuerStatus }, timeoutMs) => ctx.issuer.setCardholderStatus(issuerId, issuerStatus, timeoutMs),
  enqueue: (work) => followPerson(work, userId),
  dequeue: ({ tx }) => dequeue(tx, "cardholder.sync", userId),
});
