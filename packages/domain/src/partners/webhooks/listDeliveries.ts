/** The operator's log of deliveries, and their resending. */
import { fail } from "@cardkeep/contract/core/errors";
import type { Executor } from "@cardkeep/db/client";
import { type Backlog, listBacklogs as listBacklogRows } from "@cardkeep/db/queries/partners/deliveries/backlogs";
import {
  countReplay,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryRow,
  findDelivery,
  findDeliveryContent,
  listAttempts,
  listDeliveries as listRows,
  reopenDeliveries,
  type Replay,
} from "@cardkeep/db/queries/partners/deliveries/log";
import { findPartner } from "@cardkeep/db/queries/partners/partners";
import type { Act, OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { requireRole } from "../../core/operators/requireRole.ts";
import { buildDeliveryBody } from "./buildDeliveryRequest.ts";
import { enqueueDeliveries } from "./fanOut.ts";

/** Deliveries of the last 30 days, newest first; `after` names the last row of the page before. */
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

/** One delivery with each of its attempts, and why its partner gets none now. */
export interface DeliveryDetails extends DeliveryRow {
  log: DeliveryAttempt[];
  /** Null where the worker sends to the partner's endpoint. */
  hold: "no endpoint" | "partner disabled" | "webhook disabled" | { pausedUntil: Date } | null;
}

/** @throws webhooks.not_found */
export async function getDelivery(
  { db, clock }: Pick<Services, "db" | "clock">,
  { id }: { id: string },
): Promise<DeliveryDetails> {
  const delivery = (await findDelivery(db, id)) ?? fail("webhooks.not_found");
  const [log, partner, now] = await Promise.all([
    listAttempts(db, id),
    findPartner(db, delivery.partnerId),
    clock.now(db),
  ]);
  return { ...delivery, log, hold: findHold(partner, now) };
}

function findHold(partner: Awaited<ReturnType<typeof findPartner>>, now: Date): DeliveryDetails["hold"] {
  if (partner === null || partner.webhookUrl === null) return "no endpoint";
  if (partner.status !== "ACTIVE") return "partner disabled";
  if (partner.webhookStatus !== "ACTIVE") return "webhook disabled";
  const { pausedUntil } = partner;
  return pausedUntil !== null && pausedUntil > now ? { pausedUntil } : null;
}

/** The body of a delivery as its partner gets it, and the headers that name it. */
export interface DeliveryRequestFacts {
  body: string;
  /** Without the secret path. */
  host: string | null;
  headers: Record<string, string>;
}

/**
 * What a delivery carries, for an operator who may see people's data. @throws operators.forbidden, webhooks.not_found
 *
 * The headers are those without a signature: a new one is made at each attempt.
 */
export async function getDeliveryRequest(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  delivery: Pick<DeliveryRow, "id" | "sequence" | "eventType" | "userId">,
): Promise<DeliveryRequestFacts> {
  requireRole(actor, "deliveries.payload");
  const content = (await findDeliveryContent(db, delivery.id)) ?? fail("webhooks.not_found");
  return {
    body: buildDeliveryBody({ ...delivery, data: content.data }, content.payload),
    host: content.webhookUrl === null ? null : new URL(content.webhookUrl).host,
    headers: {
      "Content-Type": "application/json",
      "webhook-id": delivery.id,
      "webhook-sequence": String(delivery.sequence),
      "X-Request-Id": content.requestId,
    },
  };
}

/** Deliveries that a resending would open again, by status, before an operator decides. @throws partners.not_found, partners.no_webhook */
export async function previewReplay(
  { db }: Pick<Services, "db">,
  replay: Extract<Replay, { partnerId: string }>,
): Promise<{ status: Delivery["status"]; count: number }[]> {
  await requireEndpoint(db, replay.partnerId);
  return countReplay(db, replay);
}

async function requireEndpoint(on: Executor, partnerId: string): Promise<void> {
  const partner = (await findPartner(on, partnerId)) ?? fail("partners.not_found");
  if (partner.webhookUrl === null) fail("partners.no_webhook");
}

/**
 * Resends deliveries with the same ids and sequences: one by its id, or those of a partner between two instants, all of them
 * or only the undelivered ones. Deliveries of an ended subscription are not resent.
 *
 * @throws webhooks.not_found, partners.not_found, partners.no_webhook
 */
export async function replayDeliveries(ctx: OperatorContext, replay: Replay): Promise<{ replayed: number }> {
  return ctx.act("deliveries.resend", async ({ tx, now }) => {
    if ("partnerId" in replay) await requireEndpoint(tx, replay.partnerId);
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
