import { findIbanByProfile, listIbanOrderStates } from "@cardkeep/db/queries/ibans";
import { insertDiscrepancies } from "@cardkeep/db/queries/reconciliations";
import type { EmoneyOrder } from "@cardkeep/providers/emoney/port";
import type { WorkerContext } from "../context.ts";
import { applyEmoneyCallback } from "../ibans/applyEmoneyCallback.ts";

/**
 * Applies the orders of the e-money institution that are unknown here or in another state, as their callbacks would; those of
 * one profile at a time.
 *
 * An approved profile of a person who is unknown here is recorded: they ask for an IBAN again and consent to the use of it.
 */
export async function reconcileOrders(ctx: WorkerContext): Promise<void> {
  for (const { id: profileId, isApproved } of await ctx.emoney.listProfiles()) {
    await reconcileOrdersOf(ctx, profileId);
    if (!isApproved || (await findIbanByProfile(ctx.db, profileId))) continue;
    const text = `The e-money institution has profile ${profileId}, which no user's IBAN names`;
    await ctx.commit(({ tx, now }) => insertDiscrepancies(tx, [{ kind: "profile", name: profileId, text }], now));
  }
}

async function reconcileOrdersOf(ctx: WorkerContext, profileId: string): Promise<void> {
  const orders = await ctx.emoney.listOrders({ profileId });
  const known = await listIbanOrderStates(
    ctx.db,
    orders.map(({ id }) => id),
  );
  for (const order of orders) {
    const row = known.get(order.id);
    if (row?.state !== order.state) await applyOrder(ctx, order, row?.reportedAt ?? new Date(0));
  }
}

/**
 * Its report is dated like the last one that is known, because the institution does not say when a state began: a callback
 * that comes later always counts.
 */
async function applyOrder(ctx: WorkerContext, order: EmoneyOrder, reportedAt: Date): Promise<void> {
  const { id, state } = order;
  const callback = {
    id: `asked:${id}:${state}`,
    type: "order.updated",
    reportedAt,
    notice: { kind: "order", order },
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
