import type { ShownMove } from "@cardkeep/domain/treasury/moves/showMove";
import type { Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, type Text } from "./texts.ts";

/** Moves as a table. */
export const renderMoves = (moves: readonly ShownMove[]): Text =>
  renderTable(
    [
      { title: "id" },
      { title: "kind" },
      { title: "status" },
      { title: "amount", align: "right" },
      { title: "to", elastic: true },
      { title: "at" },
    ],
    moves.map((move) => [
      move.id,
      move.kind,
      move.status,
      `${move.amount} ${move.token}`,
      move.destination,
      move.createdAt,
    ]),
    "There are no such moves.",
  );

/** One move. */
export const renderMove = (move: ShownMove): Text =>
  renderFields([
    ["Move", move.id],
    ["Kind", move.kind],
    ["Status", move.status],
    ["Amount", `${move.amount} ${move.token}`],
    ["From", move.source ?? "-"],
    ["To", move.destination],
    ["Transaction", move.hash ?? "-"],
    ["Known there as", move.externalId ?? "-"],
    ["Failed", move.failure ?? "-"],
    ["Asked by", move.askedBy],
    ["Approved by", move.approvedBy ?? "-"],
    ["Reason", move.note],
    ["Asked at", move.createdAt],
    ["Ended at", move.endedAt],
  ]);

/** Where the money is, what is under way, and where it may go. */
export const renderTreasury = ({ money, openMoves, openItems, destinations }: Treasury): Text =>
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
      money.map(({ token, settlement, treasury, issuer }) => [
        token,
        settlement.balance,
        settlement.free,
        treasury.redeemable ? treasury.balance : `${treasury.balance}, not redeemable`,
        issuer.inTransit ?? "-",
        issuer.balance ?? "-",
        issuer.hoursOfCover === null ? "-" : `${issuer.hoursOfCover} h`,
      ]),
      "",
    ),
    "\n",
    renderMoves(openMoves),
    "\n",
    renderTable(
      [{ title: "unannounced" }, { title: "amount", align: "right" }, { title: "found" }],
      openItems.map(({ id, amount, token, foundAt }) => [id, `${amount} ${token}`, foundAt]),
      "No movement was unannounced.",
    ),
    "\n",
    renderTable(
      [{ title: "allowed" }, { title: "label", elastic: true }, { title: "counts from" }],
      destinations.map(({ value, label, usableAt }) => [value, label, usableAt]),
      "The allow-list is empty.",
    ),
  );
