import { cardMachine, cardStatusNames } from "@cardkeep/contract/cards/cards";
import { listStates } from "@cardkeep/contract/core/machine";
import { describeControls, type DescribedControls } from "@cardkeep/domain/cards/cardControls/describeControls";
import { getAnyCard, listAllCards, restoreCard } from "@cardkeep/domain/cards/cards/listAllCards";
import { freezeCardFor, markLostFor, markStolenFor, unfreezeCardFor } from "@cardkeep/domain/cards/cards/changeCardFor";
import { reissueCard } from "@cardkeep/domain/cards/orders/reissueCard";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type { OperatorChange } from "@cardkeep/domain/core/operators/verbs";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, phrase, type Text } from "./texts.ts";

type Card = Awaited<ReturnType<typeof getAnyCard>>;

const formatStatus = ({ statusCode }: Card): string => `${statusCode} ${cardStatusNames[statusCode]}`;

const renderCards = (cards: readonly Card[]): Text =>
  renderTable(
    [{ title: "id" }, { title: "digits" }, { title: "kind" }, { title: "status" }, { title: "user", optional: true }],
    cards.map((card) => [
      card.id,
      card.lastFourDigits,
      card.virtual ? "virtual" : "physical",
      formatStatus(card),
      card.userId,
    ]),
    "There are no such cards. An order that is READY becomes one: `cardkeep orders list`.",
  );

const renderCard = (card: Card): Text =>
  renderFields([
    ["id", card.id],
    ["card token", card.cardToken],
    ["digits", card.lastFourDigits],
    ["kind", card.virtual ? "virtual" : "physical"],
    ["status", formatStatus(card)],
    ["activated", card.activatedAt],
    ["expires", card.expiresAt],
    ["shipping", card.shippingStatus ?? "-"],
    [
      "at the issuer",
      card.issuerStatus === card.issuerSyncedStatus
        ? card.issuerStatus
        : `${card.issuerSyncedStatus}, changes to ${card.issuerStatus}`,
    ],
    [
      "fraud warning",
      card.fraudWarningType === null ? "-" : phrase`${card.fraudWarningType} since ${card.fraudWarnedAt}`,
    ],
    ["embossed name", card.embossedName ?? "-"],
    ["user", card.userId],
    ["Safe", card.safeId],
    ["order", card.orderId ?? "-"],
    ["created", card.createdAt],
  ]);

/** The cardholder's own rules: what the newest version declines. */
function renderControls([newest]: readonly DescribedControls[]): Text {
  if (newest === undefined) return "\nThe cardholder has set no rules.\n";
  const { version, changedAt, sentences } = newest;
  const lines = sentences.length === 0 ? ["Declines nothing."] : sentences;
  const title = phrase`\nThe cardholder's own rules, version ${version}, set ${changedAt}:\n`;
  return joinTexts(title, ...lines.map((line) => `  ${line}\n`));
}

const cardArgument = textArgument("card", "Id or card token of the card");

/** A command of support about one card. */
const moveCard = (
  verb: OperatorChange,
  name: string,
  brief: string,
  run: (ctx: OperatorContext, input: { reference: string }) => Promise<Card>,
) =>
  buildChange({
    verb,
    brief: `${brief}; give --reason`,
    example: `cards ${name} 3f1c9a52 --reason phone-call-4711`,
    parameters: { flags: withReason({}), positional: cardArgument },
    run: async (cli: CliContext, _: object, card: string) => {
      const data = await run(await cli.open(), { reference: card });
      return { data, text: renderCard(data) };
    },
  });

export const cards = buildRouteMap({
  docs: { brief: "Cards" },
  routes: {
    list: buildVerb({
      verb: "cards.list",
      brief: "Lists cards, newest first",
      example: ["cards list --status 1000", "cards list --user ada@example.org"],
      parameters: {
        flags: withJson({
          user: optionalText("USER", "Only cards of this user"),
          status: {
            kind: "enum",
            values: listStates(cardMachine),
            optional: true,
            placeholder: "CODE",
            brief: "Only cards with this status code; 1000 is active",
          },
          limit,
        }),
      },
      run: async (cli: CliContext, flags: { user?: string; status?: Card["statusCode"]; limit: number }) => {
        const data = await listAllCards(await cli.open(), flags);
        return { data, text: joinTexts(renderCards(data), formatMoreHint(data, flags.limit)) };
      },
    }),
    show: buildVerb({
      verb: "cards.show",
      brief: "Shows one card and its cardholder's own rules; only the issuer knows its number",
      example: "cards show 3f1c9a52",
      parameters: { flags: withJson({}), positional: cardArgument },
      run: async (cli: CliContext, _: object, card: string) => {
        const ctx = await cli.open();
        const found = await getAnyCard(ctx, { reference: card });
        const controls = await describeControls(ctx, { cardId: found.id });
        return { data: { ...found, controls }, text: joinTexts(renderCard(found), renderControls(controls)) };
      },
    }),
    freeze: moveCard("cards.freeze", "freeze", "Freezes an active card for its holder, who gets a mail", freezeCardFor),
    unfreeze: moveCard(
      "cards.unfreeze",
      "unfreeze",
      "Makes a frozen card active again for its holder",
      unfreezeCardFor,
    ),
    lost: moveCard("cards.lost", "lost", "Ends a card as lost for its holder", markLostFor),
    stolen: moveCard("cards.stolen", "stolen", "Ends a card as stolen for its holder", markStolenFor),
    reissue: buildChange({
      verb: "cards.reissue",
      brief: "Ends a card and begins another one of the same kind, once; give --reason",
      details:
        "A physical card goes to the address of the old one. Its holder activates it, and gets a mail about the change.",
      example: "cards reissue 3f1c9a52 --reason phone-call-4711",
      parameters: { flags: withReason({}), positional: cardArgument },
      run: async (cli: CliContext, _: object, card: string) => {
        const data = await reissueCard(await cli.open(), { reference: card });
        const kind = data.virtual ? "virtual" : "physical";
        return { data, text: `Card ${data.cardId} has ended. A worker makes another ${kind} card, ${data.issueId}.\n` };
      },
    }),
    restore: buildChange({
      verb: "cards.restore",
      brief: "Is refused: a card that was closed after a report of fraud stays closed",
      example: "cards restore 3f1c9a52",
      parameters: { flags: withReason({}), positional: cardArgument },
      run: async (cli: CliContext, _: object, card: string) => {
        const data = await restoreCard(await cli.open(), { reference: card });
        return { data, text: renderCard(data) };
      },
    }),
  },
});
