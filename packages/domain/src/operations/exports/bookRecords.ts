/** Records of double entry: the ledger of card money, and the journal of the firm's books. */
import { toDecimal } from "@cardkeep/chain/tokens";
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { pageJournal, pageLedger } from "@cardkeep/db/queries/operations/exports";
import { dayOf } from "../../core/calendar.ts";
import { bookAccountNames, formatLine, ledgerAccounts, nameBookAccount } from "./bookkeeping.ts";
import { type ExportKind, formatTimestamp, tokenOf } from "./exportKind.ts";

export const ledger: ExportKind = {
  brief: "Entries of the ledger of card money, each of which sums to zero",
  day: "of the booking",
  isByTime: false,
  keyLength: 2,
  accounts: Object.values(ledgerAccounts),
  read: async (on, page, { zone }) =>
    (await pageLedger(on, page)).map(({ entry, tokenSymbol }) => {
      const { paymentId, id, userId } = entry;
      const currency = tokenOf(tokenSymbol).fiat;
      const amount = (value: bigint): string => toDecimal(value, tokenOf(tokenSymbol));
      const day = dayOf(entry.createdAt, zone);
      const names = keysOf(ledgerAccounts);
      return {
        key: [paymentId, id],
        day,
        recordedAt: entry.createdAt,
        values: {
          day,
          createdAt: formatTimestamp(entry.createdAt),
          id,
          paymentId,
          userId,
          currency,
          ...Object.fromEntries(names.map((name) => [name, amount(entry[name])])),
        },
        booking: {
          title: "Card money",
          facts: { entry: id, payment: paymentId, user: userId },
          lines: names.flatMap((name) =>
            entry[name] === 0n ? [] : [{ account: ledgerAccounts[name], amount: amount(entry[name]), currency }],
          ),
        },
      };
    }),
};

export const journal: ExportKind = {
  brief: "Postings of the firm's books, a row for each of their lines; the lines of a posting sum to zero",
  day: "of the books that the posting is in",
  isByTime: false,
  keyLength: 1,
  isNumbered: true,
  accounts: bookAccountNames,
  read: async (on, page) =>
    (await pageJournal(on, page)).map(({ posting, lines }) => {
      const { id, type, externalId, cause, effectiveOn, period, reverses, bookedAt } = posting;
      const values = {
        period,
        effectiveOn,
        bookedAt: formatTimestamp(bookedAt),
        posting: String(id),
        type,
        externalId,
        cause,
        reverses: reverses === null ? null : String(reverses),
      };
      const booked = lines.map((line) => ({
        account: nameBookAccount(line.account),
        amount: formatLine(line.amount, line.currency),
        currency: line.currency,
      }));
      return {
        key: [String(id)],
        day: period,
        recordedAt: bookedAt,
        values: { ...values, account: null, currency: null, amount: null, reference: null },
        rows: lines.map((line, index) => ({
          ...values,
          account: line.account,
          currency: line.currency,
          amount: booked[index]?.amount ?? null,
          reference: line.reference,
        })),
        booking: { title: type, facts: { posting: String(id), external: externalId, cause }, lines: booked },
      };
    }),
};
