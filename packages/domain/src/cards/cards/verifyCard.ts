import { fail } from "@cardkeep/contract/core/errors";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { findEnvelope, insertEnvelope } from "@cardkeep/db/queries/cards/envelopes";
import { reply, type Commit, type UserContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { pollUntil } from "../../core/pollUntil.ts";
import { holdPlace } from "../../core/waits.ts";
import { failUnanswered } from "./failUnanswered.ts";

/**
 * The user's physical card with the number in an envelope, which the worker alone can open; the number is not kept.
 *
 * @throws cards.unreadable for any broken envelope, cards.check_digit for a number that was mistyped, cards.not_found for other
 *   people's numbers and virtual cards, cards.void, cards.issuer_unavailable, server.unavailable, request.rate_limited where too many of the user's requests
 *   wait already
 */
export const verifyCard = (ctx: UserContext, input: EncryptedNumber): Promise<Commit<{ cardId: string }>> =>
  holdPlace(ctx.waits, ctx.actor.userId, () => openNumber(ctx, input));

interface EncryptedNumber {
  encryptedPan: string;
  encryptedKey: string;
  iv: string;
}

async function openNumber(
  ctx: UserContext,
  { encryptedPan: encryptedData, encryptedKey, iv }: EncryptedNumber,
): Promise<Commit<{ cardId: string }>> {
  const startedMs = performance.now();
  const { userId } = ctx.actor;
  const envelopeId = generateId();
  await ctx.prepare(async ({ tx, now, requestId }) => {
    await insertEnvelope(tx, { id: envelopeId, userId, encryptedKey, encryptedData, iv, requestId, createdAt: now });
    await enqueue(tx, "card.open", { envelopeId, requestId });
  });
  const answered = await pollUntil(ctx, startedMs, async () => {
    const envelope = await findEnvelope(ctx.db, envelopeId);
    return envelope?.outcome ? { outcome: envelope.outcome, cardId: envelope.cardId } : null;
  });
  if (answered === null) return failUnanswered(ctx, { task: "card.open", subjectId: envelopeId, startedMs });
  const { outcome, cardId } = answered;
  if (outcome === "unreadable") fail("cards.unreadable");
  if (outcome === "check_digit") fail("cards.check_digit");
  if (outcome === "void") fail("cards.void");
  if (cardId === null) fail("cards.not_found");
  return reply({ cardId });
}
