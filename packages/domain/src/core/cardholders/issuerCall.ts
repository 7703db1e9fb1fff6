/**
 * One call at a time sets the status of a card, or the status or the details of a person, at the issuer.
 *
 * A call that was sent may reach the issuer after its caller gave up. So it is announced in the row before it is sent, and
 * no other call for the row begins before it was answered or its time is over. After a call without an answer the status
 * at the issuer is unknown, and is set again.
 */
import type { IssuerStatus } from "@cardkeep/contract/cards/cards";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import type { CommitContext, Work } from "../context.ts";

/** A call without an answer may still reach the issuer this long after its deadline. */
const lateMs = 1_500;

/** Of a row what a call needs: the status that the issuer should have, the one that it has, and the call under way. */
export interface Synced {
  readonly issuerStatus: IssuerStatus;
  readonly issuerSyncedStatus: IssuerStatus;
  readonly issuerCallEndsAt: Date | null;
  /** Of a person: digests of the details that the issuer should have, and of those that it has. */
  readonly issuerDetails?: string | null;
  readonly issuerSyncedDetails?: string | null;
}

/** What calls change of a row. */
interface CallChange<T extends Synced> {
  issuerSyncedStatus?: T["issuerStatus"];
  issuerCallEndsAt?: Date | null;
  issuerSyncedDetails?: string | null;
  issuerRefusedDetails?: string | null;
}

/** What is written before a call is sent, once it succeeded, and where the issuer refused it. */
interface CallChanges<T extends Synced> {
  readonly begun: CallChange<T>;
  readonly sent: CallChange<T>;
  readonly refused: CallChange<T>;
}

/** A row whose status calls set. */
export interface CallSubject<T extends Synced> {
  /** The row with its lock, and with the status that the issuer should have now. */
  lock(work: Work): Promise<T | null>;
  /** Writes what a call changed. */
  update(work: Work, change: CallChange<T>): Promise<void>;
  /** Sends the row's status, or its details, to the issuer. @throws ProviderUnavailable, ProviderRefused */
  send(row: T, timeoutMs?: number): Promise<void>;
  /** What the next call of a row changes. */
  describe(row: T): CallChanges<T>;
  /** Adds the job that sends the next call. */
  enqueue(work: Work): Promise<void>;
  /**
   * Removes the waiting job, which has nothing left to do. Null where a change does not take the row's lock: the job of a change that was
   * committed just now would go too.
   */
  readonly dequeue: ((work: Work) => Promise<void>) | null;
}

/** Whether the issuer is known to have a row's status and details. */
export const isSynced = (row: Synced): boolean =>
  row.issuerStatus === row.issuerSyncedStatus &&
  row.issuerCallEndsAt === null &&
  (row.issuerDetails ?? null) === (row.issuerSyncedDetails ?? null);

/** How long another call of a row may still reach the issuer; 0 where none can. */
const busyMsOf = ({ issuerCallEndsAt }: Synced, now: Date): number =>
  issuerCallEndsAt === null ? 0 : Math.max(0, issuerCallEndsAt.getTime() - now.getTime());

/** A row whose call was announced, or why there is none: it is synced already, or another call is under way. */
export type AnnouncedCall<T extends Synced> =
  | { kind: "begun"; row: T; endsAt: Date }
  | { kind: "synced" }
  | { kind: "busy"; busyMs: number };

/** Announces a call that takes `callMs` at most. */
export async function announceCall<T extends Synced>(
  ctx: CommitContext,
  subject: CallSubject<T>,
  callMs: number,
): Promise<AnnouncedCall<T>> {
  return ctx.commit(async (work) => {
    const row = await subject.lock(work);
    if (!row || isSynced(row)) return { kind: "synced" };
    const busyMs = busyMsOf(row, work.now);
    if (busyMs > 0) return { kind: "busy", busyMs };
    const endsAt = new Date(work.now.getTime() + callMs + lateMs);
    await subject.update(work, { ...subject.describe(row).begun, issuerCallEndsAt: endsAt });
    return { kind: "begun", row, endsAt };
  });
}

/**
 * Sends an announced call, records how it ended, and returns the row. Where its status changed meanwhile, a job sends the
 * next call.
 * @throws ProviderUnavailable, ProviderRefused
 */
export async function sendCall<T extends Synced>(
  ctx: CommitContext,
  subject: CallSubject<T>,
  { row, endsAt }: Extract<AnnouncedCall<T>, { kind: "begun" }>,
  timeoutMs?: number,
): Promise<T | null> {
  try {
    await subject.send(row, timeoutMs);
  } catch (error) {
    const isUnavailable = error instanceof ProviderUnavailable;
    const mayArrive = isUnavailable && !error.isWithoutEffect;
    await ctx.commit(async (work) => {
      const fresh = await subject.lock(work);
      if (fresh?.issuerCallEndsAt?.getTime() !== endsAt.getTime()) return;
      // A call without effect makes nothing known that was not.
      const asBefore = row.issuerCallEndsAt === null ? null : work.now;
      const issuerCallEndsAt = mayArrive ? new Date(work.now.getTime() + lateMs) : asBefore;
      const change: CallChange<T> = { ...(isUnavailable ? {} : subject.describe(row).refused), issuerCallEndsAt };
      await subject.update(work, change);
    });
    throw error;
  }
  return ctx.commit(async (work) => {
    const fresh = await subject.lock(work);
    if (!fresh) return null;
    const isOnlyCall = fresh.issuerCallEndsAt?.getTime() === endsAt.getTime();
    // The answer came so late that another call began. Which of them reached the issuer last is unknown.
    const change: CallChange<T> = { ...subject.describe(row).sent, issuerCallEndsAt: isOnlyCall ? null : work.now };
    await subject.update(work, change);
    const ended = { ...fresh, ...change };
    // The job of the change has nothing left to do. With the row locked, it cannot be that of a later change.
    await (isSynced(ended) ? subject.dequeue?.(work) : subject.enqueue(work));
    return ended;
  });
}
