/** The operator's log of deliveries, and their resending. */
import { fail } from "@cardkeep/contract/errors";
import { type Backlog, listBacklogs as listBacklogRows } from "@cardkeep/db/queries/deliveries/backlogs";
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryRow,
  findDelivery,
  listAttempts,
  listDeliveries as listRows,
  reopenDeliveries,
  type Replay,
} from "@cardkeep/db/queries/deliveries/log";
import { findPartner } from "@cardkeep/db/queries/partners";
import type { Act, OperatorContext } from "../context.ts";
import type { Services } from "../services.ts";
import { enqueueDeliveries } from "./fanOut.ts";

/** Deliveries of the last 30 days, newest first; `after` names the last one that is known already. */
export const listDeliveries = (
  { db }: Pick<Services, "db">,
  {
    partnerId = null,
    status = null,
    after = null,
    limit,
  }: { partnerId?: string | null; status?: Delivery["status"] | null; after?: string | null; limit: number },
): Promise<DeliveryRow[]> => listRows(db, { partnerId, status, after, limit });

/** Undelivered and failed deliveries of each partner with an endpoint, the largest backlog first. */
export const listBacklogs = ({ db }: Pick<Services, "db">, { limit }: { limit: number }): Promise<Backlog[]> =>
  listBacklogRows(db, limit);

/** One delivery with each of its attempts. @throws webhooks.not_found */
export async function getDelivery(
  { db }: Pick<Services, "db">,
  { id }: { id: string },
): Promise<DeliveryRow & { log: DeliveryAttempt[] }> {
  const delivery = (await findDelivery(db, id)) ?? fail("webhooks.not_found");
  return { ...delivery, log: await listAttempts(db, id) };
}

/**
 * Resends deliveries with the same ids and sequences: one by its id, or those of a partner between two instants, all of them
 * or only the undelivered ones. Deliveries of an ended subscription are not resent.
 *
 * @throws webhooks.not_found, partners.not_found, partners.no_webhook
 */
export async function replayDeliveries(ctx: OperatorContext, replay: Replay): Promise<{ replayed: number }> {
  return ctx.act("deliveries.resend", async ({ tx, now }) => {
    if ("partnerId" in replay) {
      const partner = (await findPartner(tx, replay.partnerId)) ?? fail("partners.not_found");
      if (partner.webhookUrl === null) fail("partners.no_webhook");
    }
    const opened = await reopenDeliveries(tx, replay, now);
    if ("id" in replay && opened.length === 0) fail("webhooks.not_found");
    await enqueueDeliveries(tx, [...new Set(opened.map((delivery) => delivery.partnerId))]);
    return describeReplay(replay, opened.length);
  });
}

function describeReplay(replay: Replay, replayed: number): Act<{ replayed: number }> {
  const common = { output: { replayed }, before: null };
  if ("id" in replay) return { ...common, subject: { kind: "delivery", id: replay.id }, after: { replayed } };
  const { partnerId, from, until, isAll } = replay;
  const span = { from: from.toISOString(), until: until.toISOString(), isAll };
  return { ...common, subject: { kind: "partner", id: partnerId }, after: { replayed, ...span } };
}
