/** A card as the subject of calls that set its status at the issuer. */
import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { type Card, lockCard, updateCard } from "@cardkeep/db/queries/cards/cards";
import { dequeue, enqueue } from "@cardkeep/db/queue/enqueue";
import type { Context } from "../../core/context.ts";
import type { CallSubject } from "../../core/cardholders/issuerCall.ts";

/** The calls of one card. */
export const cardCall = ({ issuer }: Pick<Context, "issuer">, cardId: string): CallSubject<Card> => ({
  lock: ({ tx }) => lockCard(tx, cardId),
  update: ({ tx, now }, change) => updateCard(tx, cardId, { ...change, updatedAt: now }),
  send: (card, timeoutMs) => issuer.setCardStatus(card.cardToken, card.issuerStatus, reasonOf(card), timeoutMs),
  describe: ({ issuerStatus }) => ({ begun: {}, sent: { issuerSyncedStatus: issuerStatus }, refused: {} }),
  enqueue: ({ tx, requestId }) => enqueue(tx, "card.sync", { cardId, requestId }),
  dequeue: ({ tx }) => dequeue(tx, "card.sync", cardId),
});

const reasonOf = ({ statusCode }: Card): "lost" | "stolen" | null =>
  statusCode === cardStatusCodes.lost ? "lost" : statusCode === cardStatusCodes.stolen ? "stolen" : null;
