/** Cards, as the operator sees them. */
import { cardMachine, cardStatusNames } from "@cardkeep/contract/cards";
import { listStates } from "@cardkeep/contract/machine";
import { getAnyCard, listAllCards, restoreCard } from "@cardkeep/domain/cards/operator";
import { formatInstant } from "@cardkeep/domain/wording";
import { z } from "zod";
import { defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, formatMoreHint } from "./lists.ts";
import { renderFields, renderTable } from "./print.ts";

type Card = Awaited<ReturnType<typeof getAnyCard>>;

const formatStatus = ({ statusCode }: Card): string => `${statusCode} ${cardStatusNames[statusCode]}`;

const renderCards = (cards: readonly Card[]): string =>
  renderTable(
    [{ title: "id" }, { title: "digits" }, { title: "kind" }, { title: "status" }, { title: "user" }],
    cards.map((card) => [
      card.id,
      card.lastFourDigits,
      card.virtual ? "virtual" : "physical",
      formatStatus(card),
      card.userId,
    ]),
    "There are no such cards.",
  );

const renderCard = (card: Card): string =>
  renderFields([
    ["id", card.id],
    ["card token", card.cardToken],
    ["digits", card.lastFourDigits],
    ["kind", card.virtual ? "virtual" : "physical"],
    ["status", formatStatus(card)],
    ["activated", formatInstant(card.activatedAt)],
    ["expires", formatInstant(card.expiresAt)],
    ["shipping", card.shippingStatus ?? "-"],
    [
      "at the issuer",
      card.issuerStatus === card.issuerSyncedStatus
        ? card.issuerStatus
        : `${card.issuerSyncedStatus}, about to be told that it is ${card.issuerStatus}`,
    ],
    ["embossed name", card.embossedName ?? "-"],
    ["user", card.userId],
    ["Safe", card.safeId],
    ["order", card.orderId ?? "-"],
    ["created", formatInstant(card.createdAt)],
  ]);

const reference = z.object({ card: z.string() });

export const cards: Noun = {
  summary: "Cards",
  verbs: {
    list: defineCommand({
      summary: "Cards, newest first",
      flags: {
        user: { kind: "text", value: "USER", summary: "Those of one user only" },
        status: { kind: "text", value: "CODE", summary: "Those with this status code only, 1000 for active ones" },
        limit: limitFlag,
      },
      input: z.object({ user: z.string().optional(), status: z.enum(listStates(cardMachine)).optional(), limit }),
      run: async (session, input) => {
        const data = await listAllCards(await session.open(), input);
        return { data, text: renderCards(data) + formatMoreHint(data, input.limit) };
      },
    }),
    show: defineCommand({
      summary: "One card, by id or card token; its number is the issuer's alone",
      takes: ["card"],
      input: reference,
      run: async (session, { card }) => {
        const data = await getAnyCard(await session.open(), { reference: card });
        return { data, text: renderCard(data) };
      },
    }),
    restore: defineCommand({
      summary: "Lifts the restriction of a card after a report of fraud",
      takes: ["card"],
      input: reference,
      run: async (session, { card }) => {
        const data = await restoreCard(await session.open(), { reference: card });
        return { data, text: renderCard(data) };
      },
    }),
  },
};
