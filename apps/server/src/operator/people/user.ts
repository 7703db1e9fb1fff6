/** One user: the way into the service, money, cards, orders, and what happened last. */
import { cards } from "@cardkeep/desk/nouns/cards";
import { delays } from "@cardkeep/desk/nouns/delays";
import { orders } from "@cardkeep/desk/nouns/orders";
import { payments as paymentNoun } from "@cardkeep/desk/nouns/payments";
import { users } from "@cardkeep/desk/nouns/users";
import {
  listIbanOrdersOf,
  listSafesOf,
  listSubscriptionsOf,
  listViolationsOf,
  listWalletsOf,
} from "@cardkeep/desk/nouns/userTables";
import { ibanMachine } from "@cardkeep/contract/users/ibans";
import { kycMachine } from "@cardkeep/contract/verification/kyc";
import { safeMachine } from "@cardkeep/contract/accounts/safes";
import { getUserOverview, type UserOverview } from "@cardkeep/domain/operations/people/getUserOverview";
import { listQueuedOperations } from "@cardkeep/domain/accounts/delays/listOperations";
import { listUserHistory } from "@cardkeep/domain/operations/people/listUserHistory";
import { findKeptDoubles } from "@cardkeep/domain/spending/payments/doubles";
import { listAllPayments } from "@cardkeep/domain/spending/payments/listAllPayments";
import { findVerbRow } from "@cardkeep/domain/core/operators/verbs";
import { findNextStep } from "@cardkeep/domain/core/progressStep";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { renderToken } from "../money/amounts.ts";
import { buildBalanceChart, buildMovedChart } from "../money/balanceChart.ts";
import { renderActs } from "../deskForms.ts";
import { buildNounTable, buildPart, renderNamedFacts } from "../deskTable.ts";
import { nameCards } from "../names.ts";
import { linkTo, may, type ShowPage } from "../page/page.ts";
import { renderCode, renderFacts } from "../page/parts.ts";
import { buildPresentQueue } from "../operations/queueChart.ts";
import { renderSteps } from "../page/steps.ts";
import { buildTable } from "../page/table.ts";
import { historyTable } from "./userHistory.ts";

/** Entries of the history shown with a user; its own page shows the rest. */
const shownMax = 15;
const paymentsShownMax = 6;
/** Operations read for the picture of the queue, and shown as a table. */
const operationsMax = 50;
const operationsShownMax = 5;

const renderFigure = (name: string, value: Html): Html =>
  markup`<li><div><span>${name}</span> <strong>${value}</strong></div></li>`;

/** What is missing for card payments; null where nothing is. */
function renderNext({ steps }: UserOverview): Html | null {
  const next = findNextStep(steps);
  return (
    next && markup`<p class="lead">Next on the way to card payments: <strong>${next.name}</strong>. ${next.text}</p>`
  );
}

function renderMoney({ money, safes, user: { debts } }: UserOverview): Html {
  const symbol = safes[0]?.tokenSymbol ?? null;
  const owed = debts.map((debt) => renderFigure("Owes for card payments", renderToken(debt.owed, debt.tokenSymbol)));
  if (money === null) return markup`<p class="none">There is no Safe in service.</p><ul class="figures">${owed}</ul>`;
  if ("fault" in money)
    return markup`<p class="notice">The balance is unknown, because the chain could not be read: ${money.fault}</p>
      <ul class="figures">${owed}</ul>`;
  const { balances, limit } = money;
  return markup`<ul class="figures">
    ${renderFigure("Balance", renderToken(balances.total, symbol))}
    ${renderFigure("Spendable", renderToken(balances.spendable, symbol))}
    ${renderFigure("Held and pending", renderToken(balances.pending, symbol))}
    ${
      limit === null
        ? renderFigure("Daily limit", markup`none`)
        : markup`${renderFigure("Daily limit", renderToken(limit.daily, symbol))}
          ${renderFigure("Left of it now", renderToken(limit.left, symbol))}`
    }
    ${owed}
  </ul>
  <p class="none">Money of an approved card payment is held first, and leaves the Safe within a few blocks.</p>`;
}

/** The machines of the person and their account. */
const renderMachines = ({ user, safes, iban }: UserOverview): Promise<Html[]> =>
  Promise.all(
    [
      { machine: kycMachine, title: "KYC", current: user.kycStatus },
      ...safes.slice(0, 1).map(({ status }) => ({ machine: safeMachine, title: "Safe", current: status })),
      ...(iban ? [{ machine: ibanMachine, title: "IBAN", current: iban.status }] : []),
    ].map(renderMachineState),
  );

const places = {
  money: "Money",
  cards: "Cards",
  payments: "Last payments",
  actions: "Acts",
  history: "History",
  onboarding: "Onboarding",
  balances: "Balances",
  orders: "Orders",
  accounts: "Safes and IBAN",
  operations: "Delayed operations",
  wallets: "Sign-in wallets",
} as const;

/** Leads to the parts of the page. */
const renderPlaces = (): Html =>
  markup`<nav class="tabs" aria-label="On this page">
    ${Object.entries(places).map(([id, name]) => markup`<a href="#${id}">${name}</a> `)}
  </nav>`;

export const showUser: ShowPage = async (visit) => {
  const { ctx, params } = visit;
  const overview = await getUserOverview(ctx, { reference: params["id"] ?? "" });
  const { user } = overview;
  const row = users.describeShown(user);
  const [entries, payments, operations] = await Promise.all([
    listUserHistory(ctx, user, { kind: null, without: "event", after: null, limit: shownMax + 1 }),
    listAllPayments(ctx, { user: user.id, limit: paymentsShownMax + 1 }),
    listQueuedOperations(ctx, { userId: user.id, limit: operationsMax }),
  ]);
  const safeAddress = overview.safes[0]?.address;
  const ofSafe = operations.filter((operation) => operation.safeAddress === safeAddress);
  const queue = buildPresentQueue(visit, { now: overview.readAt, operations: ofSafe });
  const charts = [buildBalanceChart(visit, overview), buildMovedChart(visit, overview, ofSafe)].filter(
    (chart) => chart !== null,
  );
  const digits = nameCards(overview.cards);
  const tables = {
    cards: buildNounTable(visit, cards, overview.cards.map(cards.describe), { without: "User", names: digits }),
    payments: buildNounTable(visit, paymentNoun, payments.map(paymentNoun.describe), {
      without: "User",
      names: digits,
      rowsMax: paymentsShownMax,
    }),
    orders: buildNounTable(visit, orders, overview.orders.map(orders.describe), { without: "User" }),
    operations: buildNounTable(visit, delays, operations.map(delays.describe), { rowsMax: operationsShownMax }),
    history: buildTable(visit, { ...historyTable, rows: entries, rowsMax: shownMax }),
  };
  const parts = {
    violations: buildPart(visit, listViolationsOf(overview)),
    safes: buildPart(visit, listSafesOf(overview), { place: "accounts" }),
    ibanOrders: buildPart(visit, listIbanOrdersOf(overview)),
    wallets: buildPart(visit, listWalletsOf(overview), { place: "wallets" }),
    subscriptions: buildPart(visit, listSubscriptionsOf(overview)),
  };
  const shown = payments.slice(0, paymentsShownMax);
  const doubles = await findKeptDoubles(ctx, shown);
  return {
    title: "User",
    path: `/operator/users/${user.id}`,
    body: markup`${renderPlaces()} ${renderNamedFacts(row)} ${renderNext(overview)}
      ${user.violations.length > 0 && parts.violations.html}
      <h2 id="money">Money</h2>
      ${renderMoney(overview)}
      <h2 id="cards">Cards</h2>
      <div class="newest">${tables.cards}</div>
      <h2 id="payments">Last payments</h2>
      ${
        doubles.size > 0 &&
        markup`<p class="notice warning">${doubles.size} of these payments look like one purchase that was charged twice:
        ${shown.filter(({ id }) => doubles.has(id)).map(({ id, createdAt }) => markup`<a href="/operator/payments/${id}">${renderTime(createdAt)}</a> `)}</p>`
      }
      <div class="newest">${tables.payments}</div>
      <p class="pager"><a href="${linkTo("/operator/payments", { user: user.id })}">Payments of this user</a>
        <a href="${linkTo("/operator/cases", { user: user.id })}">Cases of this user</a>
        <a href="${linkTo("/operator/disputes", { user: user.id })}">Disputes of this user</a></p>
      <div id="actions">${renderActs(visit, users, row)}</div>
      ${!may(visit, "users.erase") && markup`<p class="none">To erase this person's data, or to export all of it, takes one of the roles ${findVerbRow("users.erase").roles.join(", ")}. Support hands the wish on by "Ask compliance to erase this user".</p>`}
      <h2 id="history">What happened last</h2>
      ${tables.history}
      <p class="pager"><a href="${linkTo(`/operator/users/${user.id}/history`)}">Whole history</a>
        <a href="${linkTo(`/operator/users/${user.id}/history`, { kind: "event" })}">Deliveries to partners</a></p>
      <h2 id="onboarding">Onboarding</h2>
      ${renderFacts([
        ["Id", renderCode(user.id)],
        ["Created", renderTime(user.createdAt)],
      ])}
      ${renderSteps(overview.steps)}
      <details><summary>States of KYC, Safe and IBAN</summary>
        <div class="charts">${await renderMachines(overview)}</div></details>
      <h2 id="balances">Balances and movements</h2>
      ${
        safeAddress !== undefined &&
        overview.history.length === 0 &&
        markup`<p class="lead">Balances over time are kept while a partner receives them. None is kept of these 30 days.</p>`
      }
      ${charts}
      <h2 id="orders">Orders</h2>
      ${tables.orders} ${parts.safes.html} ${parts.ibanOrders.html}
      <h2 id="operations">Delayed operations</h2>
      <p class="lead">Withdrawals, and changes of owners and limits: ${user.openDelays} open.</p>
      ${queue} ${tables.operations}
      <p class="pager"><a href="${linkTo("/operator/delays", { user: user.id })}">All operations of this user</a></p>
      ${parts.wallets.html} ${parts.subscriptions.html}`,
    tables: [
      ...Object.values(tables),
      ...Object.values(parts).map(({ table }) => table),
      ...charts,
      ...(queue ? [queue] : []),
    ],
  };
};
