import { answerEnvelope, type CardEnvelope, findEnvelope } from "@cardkeep/db/queries/cards/envelopes";
import { type Card, listCards } from "@cardkeep/db/queries/cards/cards";
import type { WorkerContext } from "../../core/context.ts";
import { isEnded } from "./card.ts";
import { openEnvelope } from "./openEnvelope.ts";

/** Numbers of cards have 13 to 16 digits. */
const numberPattern = /^\d{13,16}$/;

/**
 * Opens an envelope with a card's number, and finds its user's physical card with that number.
 *
 * The number stays in this function's memory: the issuer is asked about those of the user's cards whose last digits fit. It
 * shows no number of a physical card, so those digits and the check digit decide among the user's own cards.
 *
 * @throws ProviderUnavailable; the job is run again
 */
export async function openCardEnvelope(ctx: WorkerContext, { envelopeId }: { envelopeId: string }): Promise<void> {
  const envelope = await findEnvelope(ctx.db, envelopeId);
  if (!envelope || envelope.outcome !== null) return;
  const answer = await find(ctx, envelope);
  await ctx.commit(({ tx }) => answerEnvelope(tx, envelopeId, answer));
}

async function find(ctx: WorkerContext, envelope: CardEnvelope): Promise<Parameters<typeof answerEnvelope>[2]> {
  const { encryptedKey, encryptedData, iv, userId } = envelope;
  if (encryptedKey === null || encryptedData === null || iv === null) return { outcome: "unreadable", cardId: null };
  const number = openEnvelope(ctx.cardKeys, { encryptedKey, encryptedData, iv });
  if (number === null || !numberPattern.test(number)) return { outcome: "unreadable", cardId: null };
  // Who may read this could encrypt the number, so it says nothing about other people's envelopes.
  if (!hasCheckDigit(number)) return { outcome: "check_digit", cardId: null };
  const card = await findByNumber(ctx, userId, number);
  if (!card) return { outcome: "unknown", cardId: null };
  return { outcome: isEnded(card.statusCode) ? "void" : "matched", cardId: card.id };
}

async function findByNumber(ctx: WorkerContext, userId: string, number: string): Promise<Card | null> {
  for (const card of await listCards(ctx.db, userId)) {
    // A virtual card has nothing to link: its number is like an unknown one.
    if (card.virtual) continue;
    if (number.endsWith(card.lastFourDigits) && (await ctx.issuer.hasNumber(card.cardToken, number))) return card;
  }
  return null;
}

/** Whether the last digit checks the others. Source: ISO/IEC 7812-1. */
function hasCheckDigit(number: string): boolean {
  const sum = [...number]
    .toReversed()
    .map((digit, index) => (index % 2 === 1 ? Number(digit) * 2 : Number(digit)))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}
