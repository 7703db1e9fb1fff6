import { findIbanByProfile, listOwnProfiles } from "@cardkeep/db/queries/users/ibans";
import { type IbanOrder, listIbanOrderStates } from "@cardkeep/db/queries/users/ibanOrders";
import {
  insertDiscrepancies,
  keepOrdersAfter,
  listOpenNames,
  recordAgain,
  type Reconciliation,
  resolveDiscrepancy,
} from "@cardkeep/db/queries/sync/reconciliations";
import type { EmoneyOrder } from "@cardkeep/providers/emoney/port";
import type { WorkerContext } from "../../core/context.ts";
import { createRowCalls, isAnswer } from "../../core/createRowCalls.ts";
import { findUnorderedMints } from "./findUnorderedMints.ts";
import { applyEmoneyCallback } from "../../users/ibans/applyEmoneyCallback.ts";

const profilesPerPage = 100;
/** After so many profiles in a row without an answer the institution answers no orders, though it is there. */
const silentMax = 5;

/**
 * Applies the orders of the e-money institution that are unknown here or in another state, as their callbacks would; those of
 * one profile at a time. A retry goes on behind the last page. The profile of a consent is left out: the institution
 * shows its orders to the person alone.
 *
 * An approved profile of a person who is unknown here is recorded: they ask for an IBAN again and consent to the use of it.
 */
export async function reconcileOrders(ctx: WorkerContext, reconciliation: Reconciliation): Promise<void> {
  const { id, ordersAfter } = reconciliation;
  const unread = new Set(await listOpenNames(ctx.db, "profile"));
  const skip = async (profileId: string, error: unknown): Promise<void> => {
    // An institution that is away throws here, and the step begins again. An answer keeps its breaker closed.
    if (!isAnswer(error)) await ctx.emoney.listProfiles();
    await recordUnread(ctx, profileId);
  };
  const call = createRowCalls(ctx, skip, silentMax);
  for (let after = ordersAfter; ;) {
    const page = await listOwnProfiles(ctx.db, { after, limit: profilesPerPage });
    for (const { profileId } of page) {
      const answer = await call(profileId, () => ctx.emoney.listOrders({ profileId }));
      if (answer === null) continue;
      await applyOrders(ctx, answer.orders);
      await recordUnreadable(ctx, answer.unreadable);
      if (unread.has(nameUnread(profileId))) await resolveUnread(ctx, profileId);
    }
    after = page.at(-1)?.userId ?? null;
    if (after === null) break;
    const reached = after;
    await ctx.commit(({ tx }) => keepOrdersAfter(tx, id, reached));
  }
  await recordUnknownProfiles(ctx);
  await findUnorderedMints(ctx, reconciliation);
}

async function recordUnreadable(ctx: WorkerContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = ids.map((id) => {
    const text = `The e-money institution has order ${id}, which cannot be read`;
    return { kind: "order", name: `${id}:unreadable`, text } as const;
  });
  await ctx.commit(({ tx, now }) => insertDiscrepancies(tx, found, now));
}

/** What resolves the discrepancy of an unread profile. */
const readAction = "Read its orders";
const nameUnread = (profileId: string): string => `orders:${profileId}`;

async function recordUnread(ctx: WorkerContext, profileId: string): Promise<void> {
  const text = `The e-money institution does not answer the orders of profile ${profileId}`;
  const found = { kind: "profile", name: nameUnread(profileId), text } as const;
  await ctx.commit(({ tx, now }) => recordAgain(tx, found, { done: readAction, foundAt: now }));
}

async function resolveUnread(ctx: WorkerContext, profileId: string): Promise<void> {
  const done = { kind: "profile", name: nameUnread(profileId), action: readAction } as const;
  await ctx.commit(({ tx, now }) => resolveDiscrepancy(tx, { ...done, resolvedAt: now }));
}

async function recordUnknownProfiles(ctx: WorkerContext): Promise<void> {
  for (const { id: profileId, isApproved } of await ctx.emoney.listProfiles()) {
    if (!isApproved || (await findIbanByProfile(ctx.db, profileId))) continue;
    const text = `The e-money institution has profile ${profileId}, which no user's IBAN names`;
    await ctx.commit(({ tx, now }) => insertDiscrepancies(tx, [{ kind: "profile", name: profileId, text }], now));
  }
}

async function applyOrders(ctx: WorkerContext, orders: readonly EmoneyOrder[]): Promise<void> {
  const known = await listIbanOrderStates(
    ctx.db,
    orders.map(({ id }) => id),
  );
  for (const order of orders) {
    const row = known.get(order.id);
    const isNew = row?.state !== order.state || order.txHashes.some((hash) => !row.txHashes.includes(hash));
    if (isNew) await applyOrder(ctx, order, dateReport(order, row));
  }
}

/**
 * The institution does not say when a state began. So the report of it is dated like the last one that is known: a callback that
 * comes later always counts. What is unknown, or processed at no known time, gets a date before its order.
 */
function dateReport({ state, processedAt }: EmoneyOrder, known?: Pick<IbanOrder, "state" | "reportedAt">): Date {
  const isUndated = state === "processed" && known?.state !== "processed" && processedAt === null;
  return known && !isUndated ? known.reportedAt : new Date(0);
}

async function applyOrder(ctx: WorkerContext, order: EmoneyOrder, reportedAt: Date): Promise<void> {
  const { id, state, txHashes } = order;
  const callback = {
    // With its date: one that a callback overtook is asked about again, with a later date.
    id: ["asked", id, state, reportedAt.getTime(), ...txHashes].join(":"),
    type: "order.updated",
    reportedAt,
    change: { kind: "order", order },
  } as const;
  const outcome = await applyEmoneyCallback(ctx, callback);
  if (outcome !== "applied") return;
  ctx.log.warn({ orderId: id, state }, "the e-money institution has an order that was not known here");
  const text = `The e-money institution has order ${id} in state ${state}`;
  await ctx.commit(({ tx, now }) =>
    insertDiscrepancies(
      tx,
      [{ kind: "order", name: `${id}:${state}`, text, action: "Recorded it", subjectId: id }],
      now,
    ),
  );
}
