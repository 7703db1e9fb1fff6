import { cardMachine, cardStatusCodes, cardStatusWords } from "@cardkeep/contract/cards/cards";
import { listStates } from "@cardkeep/contract/core/machine";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import { isEnded } from "@cardkeep/domain/cards/cards/card";
import { freezeCardFor, markLostFor, markStolenFor, unfreezeCardFor } from "@cardkeep/domain/cards/cards/changeCardFor";
import { type CardDetails, getCardDetails, listAllCards } from "@cardkeep/domain/cards/cards/listAllCards";
import { reissueCard } from "@cardkeep/domain/cards/orders/reissueCard";
import { describeControls, type DescribedControls } from "@cardkeep/domain/cards/cardControls/describeControls";
import { formatInstant } from "@cardkeep/domain/core/wording";
import { Answered, defineNoun } from "../defineNoun.ts";
import { code, id, instant, status, text, type Value } from "../value.ts";

const nameStatus = ({ statusCode }: Card): string => `${statusCode} ${cardStatusWords[statusCode]}`;
const nameKind = ({ virtual }: Card): string => (virtual ? "virtual" : "physical");

/** The cardholder's own rules: what the newest version declines. */
function describeOwn([newest]: readonly DescribedControls[]): Value[] {
  if (newest === undefined) return [text("none")];
  const { version, changedAt, sentences } = newest;
  const lines = sentences.length === 0 ? ["Declines nothing."] : sentences;
  return [text(`version ${version}, set ${formatInstant(changedAt)}`), ...lines.map((line) => text(line, "stranger"))];
}

const describeMirror = ({ issuerControls, issuerSyncedControls }: Card): string => {
  if (issuerControls !== issuerSyncedControls) return "not synced yet: see the job card.controls";
  return issuerControls === null ? "none" : "as the rules in force say";
};

/** What the issuer reported of the person; null before its first report. */
const describeHolder = (holder: CardDetails["cardholder"]): string | null =>
  holder?.status
    ? [holder.status, holder.disabledReason, holder.pastDue && `missing ${holder.pastDue}`].filter(Boolean).join(", ")
    : null;

export const cards = defineNoun({
  name: "cards",
  title: "Cards",
  group: "People",
  brief: "Cards",
  argument: { name: "card", brief: "Id or card token of the card" },
  keyOf: (row: Card) => row.id,
  list: {
    verb: "cards.list",
    brief: "Lists cards, newest first",
    example: ["cards list --status 1000", "cards list --user ada@example.org"],
    lead: "Cards of everybody.",
    none: "There are no such cards.",
    hint: "An order that is READY becomes one: `cardkeep orders list`.",
    filters: {
      status: {
        label: "Status",
        brief: "Only cards with this status code; 1000 is active",
        placeholder: "CODE",
        values: listStates(cardMachine),
        isTab: true,
      },
      user: { label: "User, wallet or Safe", brief: "Only cards of this user", placeholder: "USER" },
    },
    columns: [
      { name: "Card", of: (row) => id(row.id, "cards") },
      { name: "Digits", of: (row) => text(row.lastFourDigits, "person"), page: "never" },
      { name: "Kind", of: (row) => text(nameKind(row)) },
      { name: "Status", of: (row) => status(nameStatus(row)) },
      { name: "At the issuer", of: (row) => status(row.issuerStatus), terminal: "hidden" },
      { name: "User", of: (row) => id(row.userId, "users"), terminal: "optional" },
      { name: "Made", of: (row) => instant(row.createdAt), terminal: "hidden" },
    ],
    read: listAllCards,
  },
  show: {
    verb: "cards.show",
    brief: "Shows one card and its cardholder's own rules; only the issuer knows its number",
    example: "cards show 3f1c9a52",
    title: "Card",
    read: async (ctx, key) => {
      const { card, safe, cardholder } = await getCardDetails(ctx, { reference: key });
      return { ...card, safe, cardholder, controls: await describeControls(ctx, { cardId: card.id }) };
    },
    rowOf: (shown) => shown,
    page: ({ id: word, statusCode, controls }) => ({
      state: { machine: cardMachine, current: statusCode },
      tables: [
        {
          name: "controls",
          title: "The cardholder's own rules",
          lead: "The newest version holds, beside the rules of operators and partners. Only the cardholder changes it.",
          none: "The cardholder has set no rules.",
          columns: ["Version", "Set", "Rules"],
          rows: controls.map(({ version, changedAt, sentences }) => [
            text(String(version)),
            instant(changedAt),
            text(sentences.join(" ") || "Declines nothing.", "stranger"),
          ]),
        },
      ],
      related: [
        { noun: "wallet-tokens", filter: "card", word },
        { noun: "payments", filter: "card", word },
      ],
    }),
    fields: (row) => [
      ["Card", code(row.id)],
      ["Card token", code(row.cardToken)],
      ["Digits", text(row.lastFourDigits, "person")],
      ["Kind", text(nameKind(row))],
      ["Status", [status(nameStatus(row)), text(cardMachine.states[row.statusCode].means)]],
      ["Activated", instant(row.activatedAt)],
      ["Expires", instant(row.expiresAt)],
      ["Shipping", status(row.shippingStatus)],
      [
        "At the issuer",
        row.issuerStatus === row.issuerSyncedStatus
          ? status(row.issuerStatus)
          : text(`${row.issuerSyncedStatus}, changes to ${row.issuerStatus}`),
      ],
      ["Controls at the issuer", text(describeMirror(row))],
      ["Person at the issuer", text(describeHolder(row.cardholder))],
      ["Fraud warning", [text(row.fraudWarningType), instant(row.fraudWarnedAt)]],
      ["Embossed name", text(row.embossedName, "person")],
      ["User", id(row.userId, "users")],
      ["Order", id(row.orderId, "orders")],
      ["Safe", code(row.safe?.address ?? null, row.safe?.status)],
      ["Created", instant(row.createdAt)],
      ["Own rules", describeOwn(row.controls)],
    ],
  },
  acts: {
    freeze: {
      verb: "cards.freeze",
      brief: "Freezes an active card for its holder, who gets a mail; give --reason",
      example: "cards freeze 3f1c9a52 --reason phone-call-4711",
      offer: ({ statusCode, activatedAt }) =>
        statusCode === cardStatusCodes.active && activatedAt !== null
          ? {
              label: "Freeze this card",
              consequence: "It declines at once. The holder gets a mail. The holder, or you, can make it active again.",
            }
          : null,
      run: (ctx, key) => freezeCardFor(ctx, { reference: key }),
    },
    unfreeze: {
      verb: "cards.unfreeze",
      brief: "Makes a frozen card active again for its holder; give --reason",
      example: "cards unfreeze 3f1c9a52 --reason phone-call-4711",
      offer: ({ statusCode }) =>
        statusCode === cardStatusCodes.frozen
          ? {
              label: "Unfreeze this card",
              consequence:
                "It spends again, and the holder gets a mail. Be sure that the holder asks, and has the card.",
            }
          : null,
      run: (ctx, key) => unfreezeCardFor(ctx, { reference: key }),
    },
    lost: {
      verb: "cards.lost",
      brief: "Ends a card as lost for its holder; give --reason",
      example: "cards lost 3f1c9a52 --reason phone-call-4711",
      offer: ({ statusCode }) =>
        isEnded(statusCode)
          ? null
          : {
              label: "Report it lost",
              consequence: "It ends for good, here and at the issuer, and the holder gets a mail.",
              isDanger: true,
            },
      run: (ctx, key) => markLostFor(ctx, { reference: key }),
    },
    stolen: {
      verb: "cards.stolen",
      brief: "Ends a card as stolen for its holder; give --reason",
      example: "cards stolen 3f1c9a52 --reason phone-call-4711",
      offer: ({ statusCode }) =>
        isEnded(statusCode)
          ? null
          : {
              label: "Report it stolen",
              consequence: "It ends for good, here and at the issuer, and the holder gets a mail.",
              isDanger: true,
            },
      run: (ctx, key) => markStolenFor(ctx, { reference: key }),
    },
    reissue: {
      verb: "cards.reissue",
      brief: "Ends a card and begins another one of the same kind, once; give --reason",
      example: "cards reissue 3f1c9a52 --reason phone-call-4711",
      offer: () => ({
        label: "Replace it by a new card",
        consequence:
          "It ends for good if it has not, and another one of the same kind is made, once. A physical card goes to the address of this one. The rules of the old card do not go over to it.",
        isDanger: true,
      }),
      run: async (ctx, key) => {
        const reissue = await reissueCard(ctx, { reference: key });
        return new Answered(reissue.cardId, reissue, [
          ["Card that has ended", id(reissue.cardId, "cards")],
          ["A worker makes another one", code(reissue.issueId)],
        ]);
      },
    },
  },
});
