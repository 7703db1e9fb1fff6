import { currencies } from "@cardkeep/contract/core/currencies";
import { listStates } from "@cardkeep/contract/core/machine";
import {
  treasuryMoveKinds,
  treasuryMoveMachine,
  type TreasuryMoveKind,
  type TreasuryMoveStatus,
} from "@cardkeep/contract/treasury/treasuryMoves";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { approveSpender, approvingAccounts } from "@cardkeep/domain/treasury/approvals/approveSpender";
import { fund, giveUpFund } from "@cardkeep/domain/treasury/moves/fund";
import { getMove, listMoves, type MoveInFull } from "@cardkeep/domain/treasury/moves/listMoves";
import { redeem } from "@cardkeep/domain/treasury/moves/redeem";
import type { ShownMove } from "@cardkeep/domain/treasury/moves/showMove";
import { contribute, type MoveInput, sweep } from "@cardkeep/domain/treasury/moves/sweep";
import { showTreasury, type Treasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import { chooseGiven, type Column, defineNoun, type Fields } from "../defineNoun.ts";
import type { Given, Input, PartTable } from "../noun.ts";
import { code, id, instant, status, text, wholeTokens } from "../value.ts";
import { treasuryActs } from "./treasuryActs.ts";
import { listDestinationsOf, listItemsOf, listMoneyOf, listUnexplainedOf } from "./treasuryTables.ts";

const currency: Input = {
  label: "Currency",
  brief: "Currency of the money, EUR without it",
  placeholder: "EUR|GBP|USD",
  values: currencies,
  example: "EUR",
};
const readInput = (key: string, given: Given): MoveInput => ({
  amount: key,
  currency: chooseGiven(currencies, given["currency"] ?? "EUR"),
});
const begin =
  (run: (ctx: OperatorContext, input: MoveInput) => Promise<ShownMove>) =>
  (ctx: OperatorContext, key: string, given: Given): Promise<ShownMove> =>
    run(ctx, readInput(key, given));

const moveColumns: readonly Column<ShownMove>[] = [
  { name: "Move", of: (row) => id(row.id, "treasury") },
  { name: "Kind", of: (row) => text(row.kind) },
  { name: "Status", of: (row) => status(row.status) },
  { name: "Amount", of: (row) => wholeTokens(row.amount, row.token), isRight: true },
  { name: "To", of: (row) => code(row.destination), terminal: "elastic" },
  { name: "Asked by", of: (row) => text(row.askedBy), terminal: "hidden" },
  { name: "Approved by", of: (row) => text(row.approvedBy), terminal: "hidden" },
  { name: "Asked at", of: (row) => instant(row.createdAt) },
];

function listMovesOf({ openMoves }: Treasury): PartTable {
  const columns = moveColumns.filter(({ terminal }) => terminal !== "hidden");
  return {
    name: "moves",
    title: "Under way",
    none: "Nothing is under way.",
    columns: columns.map(({ name }) => name),
    rows: openMoves.map((row) => columns.map(({ of }) => of(row))),
  };
}

const listMoveFields = (move: MoveInFull): Fields => [
  ["Move", code(move.id)],
  ["Kind", code(move.kind)],
  ["Status", status(move.status)],
  ["Amount", wholeTokens(move.amount, move.token)],
  ["From", code(move.source)],
  ["To", code(move.destination)],
  ["Holder", text(move.account?.name ?? null)],
  ["BIC", code(move.account?.bic ?? null)],
  ["Follows", id(move.causeId, "treasury")],
  ["Supporting document", code(move.documentId)],
  ["Transaction", code(move.hash)],
  ["Known there as", code(move.externalId)],
  ["Failed", text(move.failure)],
  ["Asked by", text(move.askedBy)],
  ["Approved by", text(move.approvedBy)],
  ["Reason", text(move.note)],
  ["Asked at", instant(move.createdAt)],
  ["Ended at", instant(move.endedAt)],
];

const nullable = (word: string | undefined): string | null => word || null;

export const treasury = defineNoun({
  name: "treasury",
  title: "Treasury",
  group: "Money",
  brief: "Moves of the programme's own money",
  argument: {
    name: "move",
    label: "Amount in whole tokens",
    brief: "Id of the move; of a new one the amount, such as 12.50",
  },
  keyOf: (row: ShownMove) => row.id,
  list: {
    verb: "treasury.list",
    brief: "Lists moves, newest first",
    example: "treasury list --kind redeem",
    lead: "Moves of the programme's own money, between settlement account, treasury, e-money institution and card issuer.",
    none: "There are no such moves.",
    filters: {
      kind: {
        label: "Kind",
        brief: "Only moves of this kind",
        placeholder: "KIND",
        values: treasuryMoveKinds,
        isTab: true,
      },
      status: {
        label: "Status",
        brief: "Only moves with this status",
        placeholder: "STATUS",
        values: listStates(treasuryMoveMachine),
      },
    },
    columns: moveColumns,
    read: (
      ctx,
      asked: { kind: TreasuryMoveKind | null; status: TreasuryMoveStatus | null; after: string | null; limit: number },
    ) => listMoves(ctx, asked),
  },
  show: {
    verb: "treasury.show",
    brief: "Shows one move",
    example: "treasury show 0199d0c2",
    title: "Move",
    read: (ctx, key) => getMove(ctx, { id: key }),
    rowOf: (move) => move,
    fields: listMoveFields,
  },
  overview: {
    verb: "treasury.show",
    brief: "Shows where the money is now",
    example: "treasury show",
    read: async (ctx) => {
      const data = await showTreasury(ctx);
      return {
        data,
        tables: [listMoneyOf, listMovesOf, listItemsOf, listUnexplainedOf, listDestinationsOf].map((list) =>
          list(data),
        ),
      };
    },
  },
  acts: {
    sweep: {
      verb: "treasury.sweep",
      label: "Sweep to the treasury",
      brief: "Moves settled tokens from the settlement account to the treasury; a float stays for refunds",
      example: "treasury sweep 1000 --reason weekly",
      inputs: { currency },
      run: begin(sweep),
    },
    redeem: {
      verb: "treasury.redeem",
      label: "Redeem to a bank account",
      brief: "Redeems tokens of the treasury: the e-money institution pays an allow-listed IBAN",
      example: ["treasury redeem 1000 --reason weekly", "treasury redeem 20000 --document 7c1f --reason weekly"],
      inputs: {
        currency,
        iban: {
          label: "IBAN",
          brief: "An allow-listed IBAN; without it the issuer's funding IBAN",
          placeholder: "IBAN",
        },
        document: {
          label: "Supporting document",
          brief: "The institution's id of the supporting document, from 15,000 on",
          placeholder: "ID",
        },
      },
      run: (ctx, key, given) => {
        const [iban, document] = [nullable(given["iban"]), nullable(given["document"])];
        return redeem(ctx, { ...readInput(key, given), iban, document });
      },
    },
    fund: {
      verb: "treasury.fund",
      label: "Announce money for the issuer",
      brief: "Announces money that you send from a bank to the issuer, and shows its funding IBAN",
      example: "treasury fund 5000 --reason capital",
      inputs: { currency },
      run: begin(fund),
    },
    contribute: {
      verb: "treasury.contribute",
      label: "Pay into the settlement account",
      brief: "Moves own tokens from the treasury to the settlement account",
      example: "treasury contribute 500 --reason capital",
      inputs: { currency },
      run: begin(contribute),
    },
    "give-up": {
      verb: "treasury.give-up",
      brief: "Gives up announced money that does not arrive at the issuer; give --reason",
      example: "treasury give-up 0199d0c2 --reason never-sent",
      offer: ({ kind, status: word }) =>
        kind === "fund" && word === "SENT"
          ? { label: "Give this money up", consequence: "The issuer is not expected to have it.", isDanger: true }
          : null,
      run: (ctx, key) => giveUpFund(ctx, { id: key }),
    },
    approve: {
      verb: "treasury.approve",
      label: "Approve the spender",
      brief: "Sets what the spender may return of an account, in place of what is left; 0 withdraws it",
      example: "treasury approve 20000 --account settlement --reason large-refund",
      inputs: {
        currency,
        account: {
          label: "Account",
          brief: "The account that approves, settlement without it",
          placeholder: "ACCOUNT",
          values: approvingAccounts,
          example: "settlement",
        },
      },
      run: (ctx, key, given) => {
        const account = chooseGiven(approvingAccounts, given["account"] ?? "settlement");
        return approveSpender(ctx, { ...readInput(key, given), account });
      },
    },
    ...treasuryActs,
  },
});
