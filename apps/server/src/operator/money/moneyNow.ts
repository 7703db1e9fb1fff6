/** Where the programme's money is now: each account with what moved today, what is under way, and what is not explained. */
import { treasury as moveNoun } from "@cardkeep/desk/nouns/treasury";
import { listDestinationsOf, listItemsOf, listUnexplainedOf } from "@cardkeep/desk/nouns/treasuryTables";
import { type CurrencyMoney, showTreasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import { markup, type Html } from "@cardkeep/html/markup";
import { drawMoneyWay, type Station } from "@cardkeep/html/pictures/moneyWay";
import { buildNounTable, buildPart } from "../deskTable.ts";
import { buildFigure } from "../page/charts.ts";
import type { ShowPage, Table, Visit } from "../page/page.ts";
import { buildTable } from "../page/table.ts";
import { formatDecimal, formatDecimalShort } from "./amounts.ts";

/** Whether anything of a currency is somewhere, or moved today. */
const isUsed = ({ settlement, treasury, issuer, today }: CurrencyMoney): boolean =>
  [settlement.balance, settlement.required, treasury.balance, issuer.inTransit ?? "0", ...Object.values(today)].some(
    (amount) => Number(amount) !== 0,
  );

/** The programme's accounts in the order in which money passes them. */
function listStations(
  { token, currency, settlement, treasury, issuer, today }: CurrencyMoney,
  format: (exact: string | null, unit: string) => string,
): Station[] {
  const of = (amount: string) => format(amount, token);
  const fiat = (amount: string | null) => format(amount, currency);
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
  const picture = {
    name: `way-${currency.toLowerCase()}`,
    title: `The way of ${currency}`,
    summary: `${formatDecimalShort(settlement.balance, token)} at the settlement account, ${formatDecimalShort(treasury.balance, token)} in the treasury, ${formatDecimalShort(issuer.balance, currency)} at the issuer.`,
  };
  const numbers = buildTable(visit, {
    name: picture.name,
    none: "There are no numbers.",
    rows: listStations(money, formatDecimal),
    columns: [
      { name: "Account", text: ({ name }) => name },
      { name: "Now", text: ({ amount }) => amount, isRight: true },
      { name: "Onward today", text: ({ onward }) => onward, isRight: true },
      { name: "Back today", text: ({ back }) => back, isRight: true },
    ],
  });
  const stations = listStations(money, formatDecimalShort);
  return buildFigure(picture, drawMoneyWay({ ...picture, stations }), null, numbers);
}

function describeMoney({ token, settlement, treasury, issuer }: CurrencyMoney): Html {
  const cover = issuer.hoursOfCover === null ? "for more than two weeks" : `for ${issuer.hoursOfCover} h`;
  return markup`<p class="lead">
      The ledger requires ${formatDecimalShort(settlement.required, token)} at the settlement account; ${formatDecimalShort(settlement.float, token)} stay
      for refunds and credits, ${formatDecimalShort(settlement.free, token)} can be swept. ${
        treasury.redeemable
          ? "The e-money institution redeems it."
          : `No institution redeems ${token}: its only way out is on chain.`
      } The balance at the issuer lasts ${cover}${issuer.transferHours !== null && `, and a transfer takes ${issuer.transferHours} h`}.
    </p>`;
}

export const showMoneyNow: ShowPage = async (visit) => {
  const treasury = await showTreasury(visit.ctx);
  const used = treasury.money.filter(isUsed).map((money) => ({ money, way: buildWay(visit, money) }));
  const moves = buildNounTable(visit, moveNoun, treasury.openMoves.map(moveNoun.describe));
  const parts = [listItemsOf(treasury), listUnexplainedOf(treasury), listDestinationsOf(treasury)].map((part) =>
    buildPart(visit, part),
  );
  return {
    title: "Where the money is",
    body: markup`${used.length === 0 && markup`<p class="none">No money has moved yet.</p>`} ${used.map(({ money, way }) => markup`<h2>${money.currency}</h2>${way}${describeMoney(money)}`)}
      <h2>Under way</h2>
      ${moves} ${parts.map(({ html }) => html)}`,
    tables: [...used.map(({ way }) => way), moves, ...parts.map(({ table }) => table)],
  };
};
