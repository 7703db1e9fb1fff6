import type { Executor } from "@cardkeep/db/client";
import type { Address } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findSafeByAddress } from "@cardkeep/db/queries/accounts/safes";
import {
  findArchivedUser,
  findIban,
  findIbanByProfile,
  type Iban,
  insertEmoneyCallback,
} from "@cardkeep/db/queries/users/ibans";
import { type IbanOrder, updateProcessedOrder, upsertIbanOrder } from "@cardkeep/db/queries/users/ibanOrders";
import { lockUser } from "@cardkeep/db/queries/users/users";
import type { EmoneyCallback, EmoneyChange } from "@cardkeep/providers/emoney/port";
import { type CallbackOutcome, isAhead } from "../../core/callbackOutcome.ts";
import type { CommitContext, Work } from "../../core/context.ts";
import { openCase } from "../../core/openCase.ts";
import { assign, nameKeptIban, profileIdOf } from "./iban.ts";
import { toCaseAmount } from "./settleIbanOrder.ts";

function profileOf(change: EmoneyChange): string | null {
  if (change.kind === "iban") return change.iban.profileId;
  if (change.kind === "order") return change.order.profileId;
  return change.kind === "profile" ? change.profileId : null;
}

function addressOf(change: EmoneyChange): Address | null {
  if (change.kind === "iban") return change.iban.address;
  return change.kind === "order" ? change.order.address : null;
}

/**
 * Applies an authentic callback of the institution: an IBAN that was assigned, money that moved, a profile that changed.
 *
 * The same callback twice is one, an older one about an order than the last changes nothing, and one that names the
 * profile of one user and the account of another is refused, as is one dated more than five minutes ahead. Money that
 * arrives by an IBAN that was reset here is recorded too, for the user who reset it: another one may have the profile by now.
 */
export async function applyEmoneyCallback(ctx: CommitContext, callback: EmoneyCallback): Promise<CallbackOutcome> {
  const { change } = callback;
  const profileId = profileOf(change);
  if (profileId === null) return "ignored";
  const reported = addressOf(change);
  const findFormer = (on: Executor) => (reported === null ? null : findArchivedUser(on, profileId, reported));
  const userId = (await findFormer(ctx.db)) ?? (await findIbanByProfile(ctx.db, profileId))?.userId;
  if (userId === undefined) return "ignored";
  return ctx.commit(async (work) => {
    // It would restore erased data.
    if ((await lockUser(work.tx, userId))?.erasedAt !== null) return "ignored";
    const row = await findIban(work.tx, userId);
    const isArchived = (await findFormer(work.tx)) === userId;
    // Forgotten meanwhile, or no longer the profile that counts.
    if (!row || (!isArchived && (row.address === null || profileIdOf(row) !== profileId))) return "ignored";
    if (!isArchived && reported !== null && reported !== row.address) {
      // A profile that the person had before may have accounts that are none of ours.
      const isElsewhere = row.linkedProfileId !== null && (await findSafeByAddress(work.tx, reported)) === null;
      return isElsewhere ? "ignored" : "refused";
    }
    const dates = change.kind === "order" ? [callback.reportedAt, change.order.placedAt] : [callback.reportedAt];
    if (dates.some((at) => isAhead(at, work.now))) return "refused";
    const isNew = await insertEmoneyCallback(work.tx, { id: callback.id, userId: row.userId, receivedAt: work.now });
    return isNew ? apply(work, row, callback) : "duplicate";
  });
}

async function apply(work: Work, row: Iban, { change, reportedAt }: EmoneyCallback): Promise<CallbackOutcome> {
  const { userId, requestId } = row;
  if (change.kind === "order") {
    const { profileId: _, ...order } = change.order;
    return applyOrder(work, { ...order, userId, reportedAt });
  }
  const isNamed = change.kind === "iban" && (await nameKeptIban(work, { userId, ...change.iban }));
  if (row.status !== "PENDING") return isNamed ? "applied" : "ignored";
  if (change.kind === "iban") return (await assign(work, row, change.iban)) || isNamed ? "applied" : "refused";
  await enqueue(work.tx, "iban.open", { userId, requestId });
  return "applied";
}

type Reported = Omit<Parameters<typeof upsertIbanOrder>[1], "updatedAt">;

/**
 * Writes a report of an order. One that was processed is looked for on chain; one that is rejected after that is a recall, also where
 * the report of its mint is late or lost: the rejection names the transaction.
 */
async function applyOrder(work: Work, reported: Reported): Promise<CallbackOutcome> {
  const { tx, requestId, now } = work;
  const order = { ...reported, updatedAt: now };
  const isWritten = await upsertIbanOrder(tx, order);
  const later = isWritten ? null : await updateProcessedOrder(tx, order);
  if (!isWritten && !later) return "stale";
  const isPaidOut = later !== null || (order.kind === "issue" && (order.txHashes ?? []).length > 0);
  if (order.state === "rejected" && isPaidOut) await openRecallCase(work, later ?? order);
  if (order.state === "processed" && order.kind === "issue")
    await enqueue(tx, "iban.match", { orderId: order.id, requestId });
  return "applied";
}

const openRecallCase = (
  work: Work,
  { id: ibanOrderId, userId, amount, currency }: Pick<IbanOrder, "id" | "userId" | "amount" | "currency">,
) =>
  openCase(work, {
    kind: "iban_recall",
    userId,
    ibanOrderId,
    ...toCaseAmount({ amount, currency }),
    note: "The order had been processed and is rejected now. Ask the institution what its bank wants back, and whether it burnt the tokens.",
  });
