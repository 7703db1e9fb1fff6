/** The start of a card: the request writes the wish, a job asks the issuer for the card, and the request waits for it. */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";
import type { Executor } from "@cardkeep/db/client";
import { insertEnvelope } from "@cardkeep/db/queries/cards/envelopes";
import {
  type CardIssue,
  findCardIssue,
  findIssueOfRequest,
  findOpenCardIssue,
  forgetRequest,
  insertCardIssue,
  listIssueTimes,
} from "@cardkeep/db/queries/cards/issues";
import { findOpenOrder, findOrder, type Order } from "@cardkeep/db/queries/cards/orders";
import { lockSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { findUser, lockUser, type User } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { CompleteUser } from "../../core/cardholders/buildDetails.ts";
import { type Commit, reply, type UserContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { requireQuota } from "../../core/limits/requireQuota.ts";
import { getActiveSafe } from "../../core/safeAccount.ts";
import { requireRows } from "../../chain/guards/restoreGuard.ts";
import { isAccountWhole } from "../../accounts/safes/getDeployment.ts";
import { waitUntil } from "../../core/pollUntil.ts";
import { keptHours } from "../../core/privacy/keptHours.ts";
import { refuseStopped } from "../../operators/stops/refuseStopped.ts";
import { failUnanswered } from "./failUnanswered.ts";
import { requireEligible, requireShippable, requireTerms } from "./eligibility.ts";
import type { SealedText } from "./openEnvelope.ts";

/** A request that is older than this has been answered, so that another one may wait in its place. */
const requestMsMax = 10_000;

interface Wish {
  /** Null for a virtual card without an order. */
  order: Order | null;
  pin: SealedText | null;
}

/**
 * Makes a card for the user, and returns its issue once the card exists.
 *
 * @throws cards.in_progress, what a person lacks, safes.not_found, cards.safe_misconfigured, cards.pin_unreadable,
 *   cards.issuer_refused, orders.stopped; request.rate_limited: each card costs the operator a fee; RowsMissing;
 *   cards.issuer_unavailable or server.unavailable where it takes too long, though the card will come
 */
export async function startCard(ctx: UserContext, wish: Wish): Promise<CardIssue> {
  const startedMs = performance.now();
  const known = (await findBegun(ctx)) ?? (await findAbandoned(ctx, wish));
  const issueId = known ?? (await start(ctx, wish));
  // One issue of a user is under way at a time, so its own request needs no place of the user's: none ever ends in 503 for another.
  const issue = await waitUntil(ctx, known === null ? null : ctx.actor.userId, startedMs, async () => {
    const found = await findCardIssue(ctx.db, issueId);
    return found?.status === "open" ? null : found;
  });
  if (issue === null) return failUnanswered(ctx, { task: "card.issue", subjectId: issueId, startedMs });
  if (issue.status === "refused") fail(issue.reason === "pin" ? "cards.pin_unreadable" : "cards.issuer_refused");
  return issue;
}

/** The issue that the same request began before; its answer may not be stored yet. It counts as long as a stored reply. */
export async function findBegun({ db, clock, actor: { userId }, requestKey }: UserContext): Promise<string | null> {
  return requestKey === null ? null : findIssueOfRequest(db, { userId, requestKey }, keptSince(await clock.now(db)));
}

const keptSince = (now: Date): Date => new Date(now.getTime() - keptHours.idempotency_keys * hourMs);

/** The same card to be, where the request that began it cannot be waiting any more. @throws cards.in_progress */
async function findAbandoned(ctx: UserContext, { order }: Wish): Promise<string | null> {
  const open = await findOpenCardIssue(ctx.db, ctx.actor.userId);
  if (!open) return null;
  const ageMs = (await ctx.clock.now(ctx.db)).getTime() - open.createdAt.getTime();
  return open.orderId === (order?.id ?? null) && ageMs > requestMsMax ? open.id : fail("cards.in_progress");
}

async function start(ctx: UserContext, wish: Wish): Promise<string> {
  // A database that went back may not know yet that the issuer made this card.
  await requireRows(ctx, "cards");
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.token_invalid");
  await requireWish(ctx, ctx.db, user, wish);
  const safe = await getActiveSafe(ctx);
  if (!(await isAccountWhole(ctx, safe))) fail("cards.safe_misconfigured");
  await requireTerms(ctx.db, user);
  return write(ctx, wish, safe);
}

async function requireWish(ctx: UserContext, on: Executor, user: User, { order }: Wish): Promise<CompleteUser> {
  if (!order && (await findOpenOrder(on, user.id))) fail("cards.in_progress");
  const complete = await requireEligible(ctx, on, user);
  if (order) requireShippable(order, complete);
  return complete;
}

function write(ctx: UserContext, wish: Wish, { id: safeId }: Safe): Promise<string> {
  const { userId } = ctx.actor;
  return ctx.prepare(async ({ tx, now, requestId }) => {
    // The card of an accepted order is made nevertheless.
    if (wish.order === null) await refuseStopped(tx, "card-orders");
    const user = (await lockUser(tx, userId)) ?? fail("auth.token_invalid");
    if ((await lockSafe(tx, safeId))?.status !== "ok") fail("safes.not_found");
    const order = wish.order && ((await findOrder(tx, wish.order.id)) ?? fail("orders.not_found"));
    if (order && order.status !== "READY") fail("orders.wrong_status");
    const { firstName, lastName } = await requireWish(ctx, tx, user, { ...wish, order });
    await requireTerms(tx, user);
    // An ended card makes room for another, so the live ones alone bound no loop. A paid order waits in READY.
    const quota = { name: "cards", count: ctx.policy.cardsPerDay, withinSeconds: dayMs / 1000 };
    requireQuota(quota, await listIssueTimes(tx, userId, new Date(now.getTime() - dayMs)), now);
    const id = generateId();
    const { requestKey } = ctx;
    if (requestKey !== null) await forgetRequest(tx, { userId, requestKey }, keptSince(now));
    const begun = await insertCardIssue(tx, {
      id,
      userId,
      safeId,
      orderId: order?.id ?? null,
      requestKey,
      virtual: order?.virtual ?? true,
      embossedName: order?.embossedName ?? `${firstName} ${lastName}`,
      status: "open",
      requestId,
      createdAt: now,
      updatedAt: now,
    });
    if (!begun) fail("cards.in_progress");
    if (wish.pin) {
      await insertEnvelope(tx, { id: generateId(), userId, issueId: id, ...wish.pin, requestId, createdAt: now });
    }
    await enqueue(tx, "card.issue", { issueId: id, requestId });
    return id;
  });
}

/** Issues a virtual card to the user, active at once. @throws what `startCard` throws */
export async function createVirtualCard(ctx: UserContext): Promise<Commit<{ cardId: string }>> {
  const { id: cardId } = await startCard(ctx, { order: null, pin: null });
  return reply({ cardId });
}
