/** What support does to a card for its holder, who gets a mail about each act. Money and contact details are out of reach. */
import { type CardStatus, cardStatusCodes, cardStatusWords } from "@cardkeep/contract/cards/cards";
import type { ErrorCode } from "@cardkeep/contract/core/errorCatalogue";
import { fail } from "@cardkeep/contract/core/errors";
import type { Executor } from "@cardkeep/db/client";
import { type Card, lockCard } from "@cardkeep/db/queries/cards/cards";
import { findStatusEvent } from "@cardkeep/db/queries/partners/outbox";
import { lockUser } from "@cardkeep/db/queries/users/users";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { ActionFacts } from "@cardkeep/db/schema/operators/operators";
import type { OperatorContext, Work } from "../../core/context.ts";
import type { OperatorChange } from "../../core/operators/verbs.ts";
import { requireApproval, requireSame } from "../../operators/approvals/requireApproval.ts";
import { changeStatus } from "./changeStatus.ts";
import { getAnyCard } from "./getAnyCard.ts";

interface Reference {
  reference: string;
}

/** Behind the locks that every change of a card takes, the user's before the card's. @throws cards.not_found */
export async function lockCardFor({ tx }: Pick<Work, "tx">, { id, userId }: Card): Promise<Card> {
  await lockUser(tx, userId);
  return (await lockCard(tx, id)) ?? fail("cards.not_found");
}

/** Has a worker mail the holder what support did. */
export const reportToHolder = ({ tx, requestId }: Pick<Work, "tx" | "requestId">, cardId: string): Promise<void> =>
  enqueue(tx, "card.supportMail", { cardId, requestId });

/** @throws operators.reason_required */
export function requireReason({ reason }: Pick<OperatorContext, "reason">): void {
  if (reason === null || reason.trim() === "") fail("operators.reason_required");
}

async function change(
  ctx: OperatorContext,
  known: Card,
  {
    verb,
    to,
    refuse,
    refusal,
    describe,
  }: {
    verb: OperatorChange;
    to: CardStatus;
    refuse?: (card: Card) => ErrorCode | null;
    refusal: ErrorCode;
    /** What a second person was shown of the card. */
    describe?: (on: Executor, card: Card) => Promise<ActionFacts>;
  },
): Promise<Card> {
  return ctx.act(verb, async (work) => {
    const card = await lockCardFor(work, known);
    const code = refuse?.(card) ?? null;
    if (code !== null) fail(code);
    if (describe) requireSame(ctx, await describe(work.tx, card));
    const output = (await changeStatus(work, card, to)) ?? fail(refusal);
    await reportToHolder(work, card.id);
    return {
      output,
      subject: { kind: "card", id: card.id },
      before: { status: cardStatusWords[card.statusCode] },
      after: { status: cardStatusWords[output.statusCode] },
    };
  });
}

/** Freezes a holder's active card. @throws cards.not_found, cards.wrong_status, operators.reason_required */
export async function freezeCardFor(ctx: OperatorContext, input: Reference): Promise<Card> {
  requireReason(ctx);
  return change(ctx, await getAnyCard(ctx, input), {
    verb: "cards.freeze",
    to: cardStatusCodes.frozen,
    refuse: ({ statusCode, activatedAt }) =>
      statusCode === cardStatusCodes.active && activatedAt !== null ? null : "cards.wrong_status",
    refusal: "cards.wrong_status",
  });
}

/** When a frozen card was frozen. The event says it: the row's own instant moves with each call of the issuer. */
async function describeFreeze(on: Executor, card: Card): Promise<{ frozenAt: string | null }> {
  return { frozenAt: (await findStatusEvent(on, card))?.createdAt.toISOString() ?? null };
}

/**
 * Makes a holder's frozen card active again. In production a second person approves it: a card that its holder froze may be
 * in a thief's hands. The approval is for that freeze, and for no later one.
 *
 * @throws cards.not_found, cards.not_activated, cards.wrong_status, operators.reason_required, operators.approval_needed,
 *   approvals.changed
 */
export async function unfreezeCardFor(ctx: OperatorContext, input: Reference): Promise<Card> {
  requireReason(ctx);
  const known = await getAnyCard(ctx, input);
  await requireApproval(ctx, "cards.unfreeze", {
    input: { reference: known.id, ...(await describeFreeze(ctx.db, known)) },
    subject: { kind: "card", id: known.id },
  });
  return change(ctx, known, {
    verb: "cards.unfreeze",
    to: cardStatusCodes.active,
    refuse: ({ statusCode, activatedAt }) => {
      if (activatedAt === null) return "cards.not_activated";
      return statusCode === cardStatusCodes.frozen ? null : "cards.wrong_status";
    },
    refusal: "cards.wrong_status",
    describe: describeFreeze,
  });
}

/** Ends a holder's card as lost. @throws cards.not_found, cards.already_lost, operators.reason_required */
export async function markLostFor(ctx: OperatorContext, input: Reference): Promise<Card> {
  requireReason(ctx);
  const known = await getAnyCard(ctx, input);
  return change(ctx, known, { verb: "cards.lost", to: cardStatusCodes.lost, refusal: "cards.already_lost" });
}

/** Ends a holder's card as stolen. @throws cards.not_found, cards.already_stolen, operators.reason_required */
export async function markStolenFor(ctx: OperatorContext, input: Reference): Promise<Card> {
  requireReason(ctx);
  const known = await getAnyCard(ctx, input);
  return change(ctx, known, { verb: "cards.stolen", to: cardStatusCodes.stolen, refusal: "cards.already_stolen" });
}

/**
 * Refuses to open a card again that ended: a report of fraud closed it at the issuer too, and its number may be known.
 *
 * @throws cards.not_found, cards.closed
 */
export async function restoreCard(ctx: OperatorContext, input: Reference): Promise<Card> {
  await getAnyCard(ctx, input);
  return fail("cards.closed");
}
