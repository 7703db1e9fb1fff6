/** Cards: the list, and one card with its payments. */
import { cardMachine, cardStatusNames } from "@cardkeep/contract/cards/cards";
import { listStates } from "@cardkeep/contract/core/machine";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import { describeControls, type DescribedControls } from "@cardkeep/domain/cards/cardControls/describeControls";
import { type CardDetails, getCardDetails, listAllCards } from "@cardkeep/domain/cards/cards/listAllCards";
import { listAllPayments } from "@cardkeep/domain/spending/payments/listAllPayments";
import { markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { orNone, renderFilters } from "../page/filters.ts";
import { renderForeign } from "../page/foreignText.ts";
import { linkTo, readChoice, readText, type ShowPage } from "../page/page.ts";
import { renderCode, renderDigits, renderFields, renderIdLink, renderStatus, renderTabs } from "../page/parts.ts";
import { paymentTable } from "../money/payments.ts";
import { buildList, buildTable, type Column, withoutColumn } from "../page/table.ts";
import { renderCardActions } from "./cardActions.ts";
import { buildWalletTable, renderWalletForms } from "./walletTokens.ts";

const formatStatus = ({ statusCode }: Card): string => `${statusCode} ${cardStatusNames[statusCode]}`;

/** The status at the issuer, and what a job is bringing it to. */
const formatIssuerStatus = ({ issuerStatus, issuerSyncedStatus }: Card): string =>
  issuerStatus === issuerSyncedStatus ? issuerStatus : `${issuerSyncedStatus}, to be ${issuerStatus}`;

/** What the issuer reported of the person; null before its first report. */
const formatCardholder = (holder: CardDetails["cardholder"]): string | null =>
  holder?.status
    ? [holder.status, holder.disabledReason, holder.pastDue && `missing ${holder.pastDue}`].filter(Boolean).join(", ")
    : null;

/** The table of cards, as data. */
export const cardTable = {
  name: "cards",
  none: "There are no such cards.",
  columns: [
    { name: "Card", text: ({ id }) => id, cell: ({ id }) => renderIdLink("/operator/cards", id) },
    {
      name: "Digits",
      text: ({ lastFourDigits }) => lastFourDigits,
      cell: ({ lastFourDigits }) => renderDigits(lastFourDigits),
    },
    { name: "Kind", text: ({ virtual }) => (virtual ? "virtual" : "physical") },
    { name: "Status", text: formatStatus, cell: (card) => renderStatus(formatStatus(card)) },
    { name: "At the issuer", text: formatIssuerStatus },
    { name: "User", text: ({ userId }) => userId, cell: ({ userId }) => renderIdLink("/operator/users", userId) },
    { name: "Made", text: ({ createdAt }) => createdAt },
  ] satisfies readonly Column<Card>[],
};

const states = listStates(cardMachine);

export const showCards: ShowPage = async (visit) => {
  const status = readChoice(visit, "status", states);
  const user = readText(visit, "user");
  const cards = await buildList(visit, {
    ...cardTable,
    keyOf: ({ id }) => id,
    read: (position) => orNone(listAllCards(visit.ctx, { user, status, ...position })),
  });
  return {
    title: "Cards",
    body: markup`${renderTabs(visit, "status", states, status)}
      <p class="lead">${status === null ? "Each code is a status of card networks." : `${cardStatusNames[status]}: ${cardMachine.states[status].means}.`}</p>
      ${renderFilters(visit, [{ name: "user", label: "User, wallet or Safe" }])} ${cards}`,
    tables: [cards],
  };
};

/** The table of versions of a cardholder's own rules, as data. */
const controlsTable = {
  name: "controls",
  none: "The cardholder has set no rules.",
  columns: [
    { name: "Version", text: ({ version }) => String(version) },
    { name: "Set", text: ({ changedAt }) => changedAt },
    {
      name: "Rules",
      text: ({ sentences }) => (sentences.length === 0 ? "Declines nothing." : sentences.join(" ")),
    },
  ] satisfies readonly Column<DescribedControls>[],
};

const formatMirror = ({ issuerControls, issuerSyncedControls }: Card): string =>
  issuerControls !== issuerSyncedControls
    ? "Not synced yet: see the job card.controls"
    : issuerControls === null
      ? "None"
      : "As the rules in force say";

/** Payments shown with a card; the list shows the rest. */
const shownMax = 20;

export const showCard: ShowPage = async (visit) => {
  const {
    card,
    safe,
    cardholder,
    walletTokens: walletRows,
  } = await getCardDetails(visit.ctx, { reference: visit.params["id"] ?? "" });
  const rows = await listAllPayments(visit.ctx, { card: card.id, limit: shownMax });
  const columns = withoutColumn(withoutColumn(paymentTable.columns, "User"), "Card");
  const wallets = buildWalletTable(visit, walletRows);
  const payments = buildTable(visit, { ...paymentTable, columns, rows });
  const versions = await describeControls(visit.ctx, { cardId: card.id });
  const controls = buildTable(visit, { ...controlsTable, rows: versions });
  return {
    title: `Card … ${card.lastFourDigits}`,
    body: markup`${renderFields([
      ["Id", renderCode(card.id)],
      ["Card token", renderCode(card.cardToken)],
      ["Kind", card.virtual ? "virtual" : "physical"],
      ["Status", markup`${renderStatus(formatStatus(card))} ${cardMachine.states[card.statusCode].means}`],
      ["At the issuer", formatIssuerStatus(card)],
      ["Spending controls at the issuer", formatMirror(card)],
      [
        "The issuer's fraud warning",
        card.fraudWarningType && markup`${renderForeign(card.fraudWarningType)} ${renderTime(card.fraudWarnedAt)}`,
      ],
      ["Person at the issuer", formatCardholder(cardholder)],
      ["Name on it", renderForeign(card.embossedName)],
      ["User", renderIdLink("/operator/users", card.userId)],
      ["Safe", safe && markup`${renderCode(safe.address)} ${renderStatus(safe.status)} ${safe.tokenSymbol}`],
      ["Order", card.orderId && renderIdLink("/operator/orders", card.orderId)],
      ["Shipping", renderStatus(card.shippingStatus)],
      ["Made", renderTime(card.createdAt)],
      ["Activated", renderTime(card.activatedAt)],
      ["Expires", renderTime(card.expiresAt)],
    ])}
      ${renderCardActions(visit, card)}
      ${await renderMachineState({ machine: cardMachine, title: cardStatusNames[card.statusCode], current: card.statusCode })}
      <p class="pager"><a href="${linkTo("/operator/actions", { subject: card.id })}">What operators did to this card</a></p>
      <h2>The cardholder's own rules</h2>
      <p>The newest version holds, beside the rules of operators and partners. Only the cardholder changes it.</p>
      ${controls}
      <h2>Digital wallets</h2>
      ${wallets} ${renderWalletForms(visit, walletRows)}
      <h2>Payments</h2>
      ${payments}
      <p class="pager"><a href="${linkTo("/operator/payments", { card: card.id })}">All payments of this card</a></p>`,
    tables: [controls, wallets, payments],
  };
};
