/** Where the programme's money is now: each account with what moved today, what is under way, and what is not explained. */
import { type CurrencyMoney, showTreasury, type Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import { markup, type Html } from "@cardkeep/html/markup";
import { drawMoneyWay, type Station } from "@cardkeep/html/pictures/moneyWay";
import { buildFigure } from "../page/charts.ts";
import type { ShowPage, Table, Visit } from "../page/page.ts";
import { buildTable } from "../page/table.ts";
import { renderIdLink, renderStatus } from "../page/parts.ts";

/** Whether anything of a currency is somewhere, or moved today. */
const isUsed = ({ settlement, treasury, issuer, today }: CurrencyMoney): boolean =>
  [settlement.balance, settlement.required, treasury.balance, issuer.inTransit ?? "0", ...Object.values(today)].some(
    (amount) => Number(amount) !== 0,
  );

/** The programme's accounts in the order in which money passes them. */
function listStations({ token, currency, settlement, treasury, issuer, today }: CurrencyMoney): Station[] {
  const of = (amount: string) => `${amount} ${token}`;
  const fiat = (amount: string | null) => `${amount ?? "?"} ${currency}`;
  return [
    { name: "Safes of people", amount: null, onward: of(today.spent), back: of(today.returned) },
    {
      name: "Settlement account",
      amount: of(settlement.balance),
      onward: of(today.swept),
      back: of(today.contributed),
    },
    { name: "Treasury, e-money", amount: of(treasury.balance), onward: of(today.redeemed), back: null },
    { name: "On its way to the issuer", amount: fiat(issuer.inTransit), onward: fiat(today.toppedUp), back: null },
    { name: "Balance at the issuer", amount: fiat(issuer.balance), onward: fiat(today.captured), back: null },
    { name: "Merchants", amount: null, onward: null, back: null },
  ];
}

function buildWay(visit: Visit, money: CurrencyMoney): Table {
  const { token, currency, settlement, treasury, issuer } = money;
  const stations = listStations(money);
  const picture = {
    name: `way-${currency.toLowerCase()}`,
    title: `The way of ${currency}`,
    summary: `${settlement.balance} ${token} at the settlement account, ${treasury.balance} ${token} in the treasury, ${issuer.balance ?? "?"} ${currency} at the issuer.`,
  };
  const numbers = buildTable(visit, {
    name: picture.name,
    none: "There are no numbers.",
    rows: stations,
    columns: [
      { name: "Account", text: ({ name }) => name },
      { name: "Now", text: ({ amount }) => amount },
      { name: "Onward today", text: ({ onward }) => onward },
      { name: "Back today", text: ({ back }) => back },
    ],
  });
  return buildFigure(picture, drawMoneyWay({ ...picture, stations }), null, numbers);
}

function describeMoney({ token, settlement, treasury, issuer }: CurrencyMoney): Html {
  const cover = issuer.hoursOfCover === null ? "for more than two weeks" : `for ${issuer.hoursOfCover} h`;
  return markup`<p class="lead">
      The ledger requires ${settlement.required} ${token} at the settlement account; ${settlement.float} ${token} stay for refunds and
      credits, ${settlement.free} ${token} can be swept. ${
        treasury.redeemable
          ? "The e-money institution redeems it."
          : `No institution redeems ${token}: its only way out is on chain.`
      } The balance at the issuer lasts ${cover}${issuer.transferHours !== null && `, and a transfer takes ${issuer.transferHours} h`}.
    </p>`;
}

const buildMoves = (visit: Visit, { openMoves }: Treasury) =>
  buildTable(visit, {
    name: "moves",
    none: "Nothing is under way.",
    rows: openMoves,
    columns: [
      { name: "Move", text: ({ id }) => id, cell: ({ id }) => renderIdLink("/operator/treasury", id) },
      { name: "Kind", text: ({ kind }) => kind },
      { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
      { name: "Amount", text: ({ amount, token }) => `${amount} ${token}` },
      { name: "Since", text: ({ createdAt }) => createdAt },
    ],
  });

const buildItems = (visit: Visit, { openItems }: Treasury) =>
  buildTable(visit, {
    name: "items",
    none: "Every movement of the settlement account is known.",
    rows: openItems,
    columns: [
      { name: "Item", text: ({ id }) => id },
      { name: "Missing", text: ({ amount, token }) => `${amount} ${token}` },
      { name: "Found", text: ({ foundAt }) => foundAt },
    ],
  });

const buildDestinations = (visit: Visit, { destinations }: Treasury) =>
  buildTable(visit, {
    name: "destinations",
    none: "The list is empty: no money can leave.",
    rows: destinations,
    columns: [
      { name: "IBAN or address", text: ({ value }) => value },
      { name: "Holder", text: ({ label }) => label },
      { name: "Added by", text: ({ addedBy }) => addedBy },
      { name: "Counts from", text: ({ usableAt }) => usableAt },
    ],
  });

export const showMoneyNow: ShowPage = async (visit) => {
  const treasury = await showTreasury(visit.ctx);
  const used = treasury.money.filter(isUsed).map((money) => ({ money, way: buildWay(visit, money) }));
  const [moves, items, destinations] = [
    buildMoves(visit, treasury),
    buildItems(visit, treasury),
    buildDestinations(visit, treasury),
  ];
  return {
    title: "Where the money is",
    body: markup`${used.length === 0 && markup`<p class="none">No money has moved yet.</p>`} ${used.map(({ money, way }) => markup`<h2>${money.currency}</h2>${way}${describeMoney(money)}`)}
      <h2>Under way</h2>
      ${moves}
      <h2>Unannounced movements</h2>
      ${items}
      <h2>Allow-list</h2>
      <p class="lead">A new destination counts a day after two persons added it.</p>
      ${destinations}`,
    tables: [...used.map(({ way }) => way), moves, items, destinations],
  };
};
