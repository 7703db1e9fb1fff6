/** Where the programme's money is now: each account with what moved today, what is under way, and what is not explained. */
import { type CurrencyMoney, showTreasury, type Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import { markup, type Html } from "@cardkeep/html/markup";
import { drawMoneyWay } from "@cardkeep/html/pictures/moneyWay";
import type { ShowPage, Visit } from "../page/page.ts";
import { buildTable } from "../page/table.ts";
import { renderIdLink, renderStatus } from "../page/parts.ts";

/** Whether anything of a currency is somewhere, or moved today. */
const isUsed = ({ settlement, treasury, issuer, today }: CurrencyMoney): boolean =>
  [settlement.balance, settlement.required, treasury.balance, issuer.inTransit ?? "0", ...Object.values(today)].some(
    (amount) => Number(amount) !== 0,
  );

function drawCurrency({ token, currency, settlement, treasury, issuer, today }: CurrencyMoney): Html {
  const [of, fiat] = [
    (amount: string) => `${amount} ${token}`,
    (amount: string | null) => `${amount ?? "?"} ${currency}`,
  ];
  const cover = issuer.hoursOfCover === null ? "for more than two weeks" : `for ${issuer.hoursOfCover} h`;
  return markup`<h2>${currency}</h2>
    ${drawMoneyWay({
      name: `way-${currency.toLowerCase()}`,
      title: `The way of ${currency}`,
      summary: `${of(settlement.balance)} at the settlement account, ${of(treasury.balance)} in the treasury, ${fiat(issuer.balance)} at the issuer.`,
      stations: [
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
      ],
    })}
    <p class="lead">
      The ledger requires ${of(settlement.required)} at the settlement account; ${of(settlement.float)} stay for refunds and credits,
      ${of(settlement.free)} can be swept. ${
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
  const used = treasury.money.filter(isUsed);
  const [moves, items, destinations] = [
    buildMoves(visit, treasury),
    buildItems(visit, treasury),
    buildDestinations(visit, treasury),
  ];
  return {
    title: "Where the money is",
    body: markup`${used.length === 0 && markup`<p class="none">No money has moved yet.</p>`} ${used.map(drawCurrency)}
      <h2>Under way</h2>
      ${moves}
      <h2>Unannounced movements</h2>
      ${items}
      <h2>Allow-list</h2>
      <p class="lead">A new destination counts a day after two persons added it.</p>
      ${destinations}`,
    tables: [moves, items, destinations],
  };
};
