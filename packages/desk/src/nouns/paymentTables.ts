/** What one payment's page has as tables: its transfers on chain and its bookings. */
import { ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import { decimalsOfToken } from "@cardkeep/domain/spending/payments/formatMoney";
import { formatUnits } from "@cardkeep/domain/core/wording";
import type { PaymentDetails } from "@cardkeep/domain/spending/payments/listAllPayments";
import type { PageParts, PartTable } from "../noun.ts";
import { code, count, instant, status, text, tokens } from "../value.ts";
import { ledgerAccountNames } from "./ledger.ts";

const listTransfers = ({ transfers, safe }: PaymentDetails): PartTable => ({
  name: "transfers",
  title: "Chain transfers",
  none: "No money moves on chain for it.",
  columns: ["Transfer", "Direction", "Amount", "Status", "Reason", "Relay transaction", "Block", "Hash"],
  rows: transfers.flatMap((transfer) =>
    (transfer.relayed.length === 0 ? [null] : transfer.relayed).map((relayed) => [
      count(transfer.ordinal),
      text(
        `${transfer.direction}${transfer.isCollection ? ", for a debt" : ""}${transfer.isByHand ? ", by hand" : ""}`,
      ),
      tokens(transfer.amount, safe.tokenSymbol),
      status(transfer.status),
      text(transfer.reason),
      status(relayed?.transaction.status ?? null),
      count(relayed?.transaction.blockNumber ?? transfer.endedBlock),
      code(relayed?.transaction.minedHash ?? relayed?.attempts.at(-1)?.hash ?? transfer.hash),
    ]),
  ),
});

/** Double entry: each row sums to zero, and so do the sums. */
function listBookings({ entries, sums, safe }: PaymentDetails): PartTable {
  const decimals = decimalsOfToken(safe.tokenSymbol);
  const amountsOf = (amounts: PaymentDetails["sums"]) =>
    ledgerAccounts.map((account) =>
      amounts[account] === 0n
        ? text("0")
        : { ...tokens(amounts[account], safe.tokenSymbol), number: formatUnits(amounts[account], decimals) },
    );
  const total = [text("Sum"), count(null), ...amountsOf(sums)];
  return {
    name: "bookings",
    title: "Ledger",
    lead: "Each row books on several accounts and sums to zero.",
    none: "Nothing is booked for it.",
    columns: ["Booked", "Transfer", ...ledgerAccounts.map((account) => ledgerAccountNames[account])],
    rows: [
      ...entries.map((entry) => [instant(entry.createdAt), count(entry.ordinal), ...amountsOf(entry)]),
      ...(entries.length === 0 ? [] : [total]),
    ],
  };
}

export const pageOfPayment = (shown: PaymentDetails): PageParts => ({
  tables: [listTransfers(shown), listBookings(shown)],
  // A page names the card by its digits.
  without: [
    "Declined",
    "Digits",
    "Refund asked for",
    "Possible double of",
    "Its double was returned",
    "At",
    "Ledger",
    "Steps",
  ],
});
