import { treasury as noun } from "@cardkeep/desk/nouns/treasury";
import { listDestinationsOf, listItemsOf } from "@cardkeep/desk/nouns/treasuryTables";
import type { Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import { renderTable } from "./print.ts";
import { renderPart, renderRows } from "./renderNoun.ts";
import { joinTexts, type Text } from "./texts.ts";

/** Where the money is, what is under way, and where it may go. */
export const renderTreasury = (treasury: Treasury): Text =>
  joinTexts(
    renderTable(
      [
        { title: "token" },
        { title: "settlement", align: "right" },
        { title: "of it free", align: "right" },
        { title: "treasury", align: "right" },
        { title: "to issuer", align: "right" },
        { title: "at issuer", align: "right" },
        { title: "cover", align: "right" },
      ],
      treasury.money.map(({ token, settlement, treasury: own, issuer }) => [
        token,
        settlement.balance,
        settlement.free,
        own.redeemable ? own.balance : `${own.balance}, not redeemable`,
        issuer.inTransit ?? "-",
        issuer.balance ?? "-",
        issuer.hoursOfCover === null ? "-" : `${issuer.hoursOfCover} h`,
      ]),
      "",
    ),
    "\n",
    renderRows(noun.list.columns, treasury.openMoves.map(noun.describe), "Nothing is under way."),
    "\n",
    renderPart(listItemsOf(treasury)),
    "\n",
    renderPart(listDestinationsOf(treasury)),
  );
