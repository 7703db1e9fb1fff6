/** A payment as a line for its picture: what happened, its transfers on chain, and what the ledger booked. */
import { type LedgerAccount, ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import type { LedgerEntry } from "@cardkeep/db/queries/spending/paymentParts";
import { formatTokenShort } from "./formatMoney.ts";
import type { PaymentDetails } from "./listAllPayments.ts";
import { listPaymentSteps } from "./paymentSteps.ts";

export interface PaymentLineStep {
  at: Date;
  /** What happened, or the accounts that money moved between. */
  word: string;
  amount: string | null;
  /** The ordinal of the transfer that it belongs to; null for a step of the card. */
  transfer: number | null;
  isBooking: boolean;
}

/** Steps of a mined transfer that say no more than its block. */
const besideMined = ["signed", "settled"];

/** Every step of the card and of the chain, and every entry of the ledger, oldest first. */
export function listPaymentLine(details: PaymentDetails): PaymentLineStep[] {
  const all = listPaymentSteps(details);
  const mined = new Set(all.flatMap(({ word, transfer }) => (word === "mined" ? transfer : [])));
  const steps = all
    .filter(({ word, transfer }) => !(besideMined.includes(word) && mined.has(transfer)))
    .map(({ at, word, amount = null, transfer = null }) => ({ at, word, amount, transfer, isBooking: false }));
  const bookings = details.entries.map((entry) => describeBooking(entry, details));
  return [...steps, ...bookings].toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function describeBooking(entry: LedgerEntry, { safe }: PaymentDetails): PaymentLineStep {
  const listAccounts = (isWanted: (amount: bigint) => boolean): LedgerAccount[] =>
    ledgerAccounts.filter((account) => isWanted(entry[account]));
  const [from, to] = [listAccounts((amount) => amount < 0n), listAccounts((amount) => amount > 0n)];
  const booked = to.reduce((sum, account) => sum + entry[account], 0n);
  return {
    at: entry.createdAt,
    word: `${from.join(", ")} → ${to.join(", ")}`,
    amount: formatTokenShort(booked, safe.tokenSymbol),
    transfer: entry.ordinal,
    isBooking: true,
  };
}
