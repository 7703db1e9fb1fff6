/** One user: the way into the service, money, cards, orders, and what happened last. */
import { ibanMachine } from "@cardkeep/contract/users/ibans";
import { kycMachine } from "@cardkeep/contract/verification/kyc";
import { safeMachine } from "@cardkeep/contract/accounts/safes";
import { getUserOverview, type UserOverview } from "@cardkeep/domain/operations/people/getUserOverview";
import { listQueuedOperations } from "@cardkeep/domain/accounts/delays/listOperations";
import { listUserHistory } from "@cardkeep/domain/operations/people/listUserHistory";
import { findNextStep } from "@cardkeep/domain/core/progressStep";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTime } from "@cardkeep/html/time";
import { renderMachineState } from "@cardkeep/html/pictures/machineState";
import { renderToken } from "../money/amounts.ts";
import { buildBalanceChart, buildMovedChart } from "../money/balanceChart.ts";
import { operationTable } from "../money/delays.ts";
import { cardTable } from "./cards.ts";
import { renderForeign } from "../page/foreignText.ts";
import { buildIbanOrders } from "./ibanOrders.ts";
import { orderTable } from "./orders.ts";
import { linkTo, type ShowPage, type Table, type Visit } from "../page/page.ts";
import { renderCode, renderFields, renderStatus } from "../page/parts.ts";
import { buildPresentQueue } from "../operations/queueChart.ts";
import { renderSteps } from "../page/steps.ts";
import { buildTable, withoutColumn } from "../page/table.ts";
import { renderUserActions } from "./userActions.ts";
import { historyTable } from "./userHistory.ts";

/** Entries of the history shown with a user; its own page shows the rest. */
const shownMax = 15;
/** Operations read for the picture of the queue, and shown as a table. */
const operationsMax = 50;
const operationsShownMax = 5;

const renderFigure = (name: string, value: Html): Html =>
  markup`<li><div><span>${name}</span> <strong>${value}</strong></div></li>`;

function renderNext({ steps }: UserOverview): Html {
  const next = findNextStep(steps);
  return next === null
    ? markup`<p class="lead">Nothing is missing for card payments.</p>`
    : markup`<p class="lead">Next on the way to card payments: <strong>${next.name}</strong>. ${next.text}</p>`;
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

function buildSafes(visit: Visit, { safes }: UserOverview): Table {
  return buildTable(visit, {
    name: "safes",
    none: "There is no Safe.",
    rows: safes,
    columns: [
      { name: "Safe", text: ({ address }) => address, cell: ({ address }) => renderCode(address) },
      { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
      { name: "Token", text: ({ tokenSymbol }) => tokenSymbol },
      { name: "Created", text: ({ createdAt }) => createdAt },
    ],
  });
}

const buildWallets = (visit: Visit, { signInWallets }: UserOverview): Table =>
  buildTable(visit, {
    name: "wallets",
    none: "There is no wallet.",
    rows: signInWallets,
    columns: [
      { name: "Wallet", text: ({ address }) => address, cell: ({ address }) => renderCode(address) },
      { name: "Added", text: ({ createdAt }) => createdAt },
      { name: "Signed first", text: ({ provenAt }) => provenAt },
    ],
  });

const buildSubscriptions = (visit: Visit, { subscriptions }: UserOverview): Table =>
  buildTable(visit, {
    name: "subscriptions",
    none: "No partner subscribes to this user.",
    rows: subscriptions,
    columns: [
      {
        name: "Partner",
        text: ({ partnerId }) => partnerId,
        cell: ({ partnerId }) =>
          markup`<a href="${linkTo("/operator/deliveries", { partner: partnerId })}">${partnerId}</a>`,
      },
      { name: "Deliveries so far", text: ({ lastSequence }) => lastSequence },
      { name: "Since", text: ({ createdAt }) => createdAt },
      { name: "Ended", text: ({ endedAt }) => endedAt },
    ],
  });

const buildViolations = (visit: Visit, { violations }: UserOverview): Table =>
  buildTable(visit, {
    name: "violations",
    none: "",
    rows: violations,
    columns: [
      { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
      { name: "Queue entry or spend", text: ({ reason }) => reason },
      { name: "Transaction", text: ({ hash }) => hash, cell: ({ hash }) => renderCode(hash) },
      { name: "Seen", text: ({ seenAt }) => seenAt },
    ],
  });

/** The machines of the person and their account. */
const renderMachines = ({ user, safes, iban }: UserOverview): Promise<Html[]> =>
  Promise.all(
    [
      { machine: kycMachine, title: "KYC", current: user.kycStatus },
      ...safes.slice(0, 1).map(({ status }) => ({ machine: safeMachine, title: "Safe", current: status })),
      ...(iban ? [{ machine: ibanMachine, title: "IBAN", current: iban.status }] : []),
    ].map(renderMachineState),
  );

export const showUser: ShowPage = async (visit) => {
  const { ctx, params } = visit;
  const overview = await getUserOverview(ctx, { reference: params["id"] ?? "" });
  const { user, iban, violations } = overview;
  const [entries, operations] = await Promise.all([
    listUserHistory(ctx, user, { kind: null, after: null, limit: shownMax }),
    listQueuedOperations(ctx, { userId: user.id, limit: operationsMax }),
  ]);
  const safeAddress = overview.safes[0]?.address;
  const ofSafe = operations.filter((operation) => operation.safeAddress === safeAddress);
  const queue = buildPresentQueue(visit, { now: overview.readAt, operations: ofSafe });
  const charts = [buildBalanceChart(visit, overview), buildMovedChart(visit, overview, ofSafe)].filter(
    (chart) => chart !== null,
  );
  const tables = {
    cards: buildTable(visit, { ...cardTable, columns: withoutColumn(cardTable.columns, "User"), rows: overview.cards }),
    orders: buildTable(visit, {
      ...orderTable,
      columns: withoutColumn(orderTable.columns, "User"),
      rows: overview.orders,
    }),
    operations: buildTable(visit, { ...operationTable, rows: operations.slice(0, operationsShownMax) }),
    ibanOrders: buildIbanOrders(visit, overview),
    safes: buildSafes(visit, overview),
    wallets: buildWallets(visit, overview),
    subscriptions: buildSubscriptions(visit, overview),
    violations: buildViolations(visit, overview),
    history: buildTable(visit, { ...historyTable, rows: entries }),
  };
  return {
    title: "User",
    body: markup`${renderFields([
      ["Id", renderCode(user.id)],
      ["E-mail", renderForeign(user.email)],
      ["Status", markup`${renderStatus(user.status)} ${user.erasedAt && markup`erased ${renderTime(user.erasedAt)}`}`],
      [
        "Change of a contact",
        overview.contactChange &&
          markup`the ${overview.contactChange.kind === "email" ? "mail address" : "phone number"}, asked for by ${overview.contactChange.operator}, waits for the user until ${renderTime(overview.contactChange.expiresAt)}`,
      ],
      [
        "Legal hold",
        overview.hold &&
          markup`since ${renderTime(overview.hold.placedAt)} by ${overview.hold.placedBy}: ${overview.hold.reason}`,
      ],
      [
        "Kept by the law",
        overview.restricted.length > 0 &&
          overview.restricted.map(({ recordClass, until }) => markup`${recordClass} until ${renderTime(until)} `),
      ],
      ["Country", user.country],
      ["Source of funds", renderStatus(user.sourceOfFundsRisk)],
      ["Partner", renderCode(user.partnerId)],
      ["Created", renderTime(user.createdAt)],
    ])}
      <h2>Onboarding</h2>
      ${renderNext(overview)} ${renderSteps(overview.steps)}
      <div class="charts">${await renderMachines(overview)}</div>
      ${
        violations.length > 0 &&
        markup`<h2>The Safe's setup has changed</h2>
          <p class="lead">While a violation stands, the cards of this account decline all payments.</p>
          ${tables.violations}`
      }
      <h2>Money</h2>
      ${renderMoney(overview)}
      ${
        safeAddress !== undefined &&
        overview.history.length === 0 &&
        markup`<p class="lead">Balances over time are kept while a partner receives them. None is kept of these 30 days.</p>`
      }
      ${charts}
      <h2>Cards</h2>
      ${tables.cards}
      <p class="pager"><a href="${linkTo("/operator/payments", { user: user.id })}">Payments of this user</a>
        <a href="${linkTo("/operator/cases", { user: user.id })}">Cases of this user</a>
        <a href="${linkTo("/operator/disputes", { user: user.id })}">Disputes of this user</a></p>
      <h2>Orders</h2>
      ${tables.orders}
      <h2>Safes and IBAN</h2>
      ${tables.safes}
      ${renderFields([["IBAN", markup`${renderStatus(iban?.status ?? null)} ${iban?.iban}`]])} ${tables.ibanOrders}
      <h2>Withdrawals and other operations</h2>
      <p class="lead">${overview.openOperations} open.</p>
      ${queue} ${tables.operations}
      <p class="pager"><a href="${linkTo("/operator/delays", { user: user.id })}">All operations of this user</a></p>
      <h2>Sign-in wallets</h2>
      ${tables.wallets}
      <h2>Subscriptions</h2>
      ${tables.subscriptions}
      <h2>What happened last</h2>
      ${tables.history}
      <p class="pager"><a href="${linkTo(`/operator/users/${user.id}/history`)}">Whole history</a></p>
      ${renderUserActions(visit, user, ctx.policy.operators.twoPersons, overview.hold, overview.contactChange)}`,
    tables: [...Object.values(tables), ...charts, ...(queue ? [queue] : [])],
  };
};
