/** One user: the way into the service, money, cards, orders, and what happened last. */
import { cards } from "@cardkeep/desk/nouns/cards";
import { delays } from "@cardkeep/desk/nouns/delays";
import { orders } from "@cardkeep/desk/nouns/orders";
import { payments as paymentNoun } from "@cardkeep/desk/nouns/payments";
import { users } from "@cardkeep/desk/nouns/users";
import { ibanMachine } from "@cardkeep/contract/users/ibans";
import { kycMachine } from "@cardkeep/contract/verification/kyc";
import { safeMachine } from "@cardkeep/contract/accounts/safes";
import { getUserOverview, type UserOverview } from "@cardkeep/domain/operations/people/getUserOverview";
import { listQueuedOperations } from "@cardkeep/domain/accounts/delays/listOperations";
import { listUserHistory } from "@cardkeep/domain/operations/people/listUserHistory";
import { hidePerson } from "@cardkeep/domain/users/users/listUsers";
import { findDoubles } from "@cardkeep/domain/spending/payments/doubles";
import { listAllPayments } from "@cardkeep/domain/spending/payments/listAllPayments";
import { findNextStep } from "@cardkeep/domain/core/progressStep";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { renderToken } from "../money/amounts.ts";
import { buildBalanceChart, buildMovedChart } from "../money/balanceChart.ts";
import { renderForeign } from "../page/foreignText.ts";
import { renderActs } from "../deskForms.ts";
import { buildNounTable } from "../deskTable.ts";
import { buildIbanOrders } from "./ibanOrders.ts";
import { nameCards } from "../names.ts";
import { linkTo, type ShowPage } from "../page/page.ts";
import { renderCode, renderFacts, renderFields, renderStatus } from "../page/parts.ts";
import { buildPresentQueue } from "../operations/queueChart.ts";
import { renderSteps } from "../page/steps.ts";
import { buildTable } from "../page/table.ts";
import { buildSafes, buildSubscriptions, buildViolations, buildWallets } from "./userTables.ts";
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

function renderMoney({ money, safes, debts }: UserOverview): Html {
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
  </ul>`;
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
  operations: "Withdrawals",
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
  const { iban, violations } = overview;
  const user = hidePerson(ctx.actor, overview.user);
  const [entries, payments, operations] = await Promise.all([
    listUserHistory(ctx, user, { kind: null, without: "event", after: null, limit: shownMax }),
    listAllPayments(ctx, { user: user.id, limit: paymentsShownMax }),
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
    }),
    orders: buildNounTable(visit, orders, overview.orders.map(orders.describe), { without: "User" }),
    operations: buildNounTable(visit, delays, operations.slice(0, operationsShownMax).map(delays.describe)),
    ibanOrders: buildIbanOrders(visit, overview),
    safes: buildSafes(visit, overview),
    wallets: buildWallets(visit, overview),
    subscriptions: buildSubscriptions(visit, overview),
    violations: buildViolations(visit, overview),
    history: buildTable(visit, { ...historyTable, rows: entries }),
  };
  const { hold, contactChange, underWay } = overview;
  const acts = renderActs(visit, users, users.describe({ ...user, hold, contactChange, underWay }));
  const doubles = findDoubles(payments);
  const name = [user.firstName, user.lastName].filter(Boolean).join(" ");
  return {
    title: "User",
    body: markup`${renderPlaces()}
      ${renderFacts([
        ["Name", name === "" ? null : renderForeign(name)],
        ["Phone", user.phone && markup`${user.phone}${!user.isPhoneValidated && " (unproven)"}`],
        ["E-mail", renderForeign(user.email)],
        [
          "Status",
          markup`${renderStatus(user.status)} ${user.erasedAt && markup`erased ${renderTime(user.erasedAt)}`}`,
        ],
        ["KYC", renderStatus(user.kycStatus)],
        ["Country", user.country],
        ["Source of funds", user.sourceOfFundsRisk && renderStatus(user.sourceOfFundsRisk)],
        ["Partner", user.partnerId && renderCode(user.partnerId)],
        [
          "Change of a contact",
          overview.contactChange &&
            markup`the ${overview.contactChange.kind === "email" ? "mail address" : "phone number"}, asked for by
              ${overview.contactChange.operator}, waits for the user until ${renderTime(overview.contactChange.expiresAt)}`,
        ],
        [
          "Legal hold",
          overview.hold &&
            markup`since ${renderTime(overview.hold.placedAt)} by ${overview.hold.placedBy}: ${overview.hold.reason}`,
        ],
        [
          "Kept by the law",
          overview.restricted.length === 0
            ? null
            : overview.restricted.map(({ recordClass, until }) => markup`${recordClass} until ${renderTime(until)} `),
        ],
      ])}
      ${renderNext(overview)}
      ${
        violations.length > 0 &&
        markup`<h2>The Safe's setup has changed</h2>
          <p class="lead">While a violation stands, the cards of this account decline all payments.</p>
          ${tables.violations}`
      }
      <h2 id="money">Money</h2>
      ${renderMoney(overview)}
      <h2 id="cards">Cards</h2>
      <div class="newest">${tables.cards}</div>
      <h2 id="payments">Last payments</h2>
      ${doubles.size > 0 && markup`<p class="notice warning">${doubles.size} of these payments look like one purchase that was charged twice.</p>`}
      <div class="newest">${tables.payments}</div>
      <p class="pager"><a href="${linkTo("/operator/payments", { user: user.id })}">Payments of this user</a>
        <a href="${linkTo("/operator/cases", { user: user.id })}">Cases of this user</a>
        <a href="${linkTo("/operator/disputes", { user: user.id })}">Disputes of this user</a></p>
      <div id="actions">${acts}</div>
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
      ${tables.orders}
      <h2 id="accounts">Safes and IBAN</h2>
      ${tables.safes}
      ${renderFields([["IBAN", markup`${renderStatus(iban?.status ?? null)} ${iban?.iban}`]])} ${tables.ibanOrders}
      <h2 id="operations">Withdrawals and other operations</h2>
      <p class="lead">${overview.openOperations} open.</p>
      ${queue} ${tables.operations}
      <p class="pager"><a href="${linkTo("/operator/delays", { user: user.id })}">All operations of this user</a></p>
      <h2 id="wallets">Sign-in wallets</h2>
      ${tables.wallets}
      <h2 id="subscriptions">Subscriptions</h2>
      ${tables.subscriptions}`,
    tables: [...Object.values(tables), ...charts, ...(queue ? [queue] : [])],
  };
};
