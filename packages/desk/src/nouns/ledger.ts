import { givenDay } from "@cardkeep/contract/core/instantOrDate";
import { type LedgerAccount, ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import { type LedgerListEntry, listLedger, nameLedgerEntry } from "@cardkeep/domain/spending/payments/listLedger";
import { startOfDay } from "@cardkeep/domain/core/calendar";
import { defineNoun } from "../defineNoun.ts";
import { code, id, instant, text, tokens } from "../value.ts";

/** What people call the accounts. */
export const ledgerAccountNames: Readonly<Record<LedgerAccount, string>> = {
  safe: "Safe",
  held: "Held",
  settlement: "Settlement",
  owed: "Owed",
  advanced: "Advanced",
  writtenOff: "Written off",
};

const day = givenDay();
/** The first instant of a day in UTC. */
export const beginOf = (given: string | null): Date | null => (given === null ? null : startOfDay(given, "UTC"));

export const ledger = defineNoun({
  name: "ledger",
  title: "Ledger",
  group: "Money",
  brief: "Entries of card money, each of which sums to zero",
  argument: { name: "entry", brief: "Payment and number of the entry" },
  keyOf: nameLedgerEntry as (row: LedgerListEntry) => string,
  list: {
    verb: "ledger.list",
    brief: "Lists ledger entries, those of the newest payment first",
    example: ["ledger list --payment 01a203da-e080-734a-b8df-3a0e6288513f", "ledger list --from 2026-01-31"],
    lead: "Each entry moves money between accounts and sums to zero. None is ever changed.",
    none: "There are no such entries.",
    filters: {
      safe: { label: "Safe", brief: "Only entries of this Safe", placeholder: "ADDRESS" },
      payment: { label: "Payment", brief: "Only entries of this payment, by its id", placeholder: "PAYMENT" },
      from: {
        label: "Paid from, 2026-01-31",
        brief: "Only of payments from this day on, in UTC",
        placeholder: "DAY",
        schema: day,
      },
      until: {
        label: "Paid before, 2026-01-31",
        brief: "Only of payments before this day, in UTC",
        placeholder: "DAY",
        schema: day,
      },
    },
    columns: [
      { name: "Entry", of: (row) => code(row.id), terminal: "hidden", page: "never" },
      { name: "Payment", of: (row) => id(row.paymentId, "payments") },
      { name: "Safe of", of: (row) => code(row.address), terminal: "hidden" },
      { name: "Token", of: (row) => text(row.tokenSymbol), terminal: "hidden", page: "never" },
      ...ledgerAccounts.map((account) => ({
        name: ledgerAccountNames[account],
        of: ({ [account]: moved, tokenSymbol }: LedgerListEntry) => tokens(moved, tokenSymbol),
        isRight: true,
        terminal: "optional" as const,
      })),
      { name: "Booked", of: (row) => instant(row.createdAt) },
    ],
    read: (ctx, { safe, payment, from, until, ...position }) =>
      listLedger(ctx, {
        safeAddress: safe,
        paymentId: payment,
        from: beginOf(from),
        until: beginOf(until),
        ...position,
      }),
  },
});
