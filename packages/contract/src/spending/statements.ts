/**
 * Statements of account.
 *
 * - entry: one movement of the account's money on chain, with what caused it. All entries of a range are the difference of its
 *   balances. - card item: a capture, refund or reversal by the issuer's date. - final: its month is over; it stays as it is.
 */
import { z } from "zod";

export const entryKinds = {
  card_payment: "A use of a card",
  card_refund: "A merchant's refund",
  card_reversal: "What a merchant did not capture, or took back of a capture",
  card_return: "The operator returned money of a card payment",
  dispute_credit: "A dispute returned money",
  dispute_debit: "A dispute's money was taken back",
  debt_payment: "A card debt was collected",
  withdrawal: "A withdrawal",
  iban_payment: "Money that arrived by the IBAN",
  order_payment: "A card order was paid",
  order_return: "Money of a card order was returned",
  transfer_in: "Another transfer to the account",
  transfer_out: "Another transfer from the account",
} as const satisfies Record<string, string>;
export type EntryKind = keyof typeof entryKinds;
// The keys of a literal are exactly those of its type.
const entryKindNames = Object.keys(entryKinds) as [EntryKind, ...EntryKind[]];

const cardItemKinds = ["payment", "refund", "payment_reversal", "refund_reversal"] as const;

/** Longest range of one statement. */
export const statementDaysMax = 366;
/** Entries and card items of a range, and entries of a statement's pages. A month with more shows the day's sums of transfers by others. */
export const statementEntriesMax = 20_000;
/** Entries and card items of one document. A month with more is in volumes. */
export const statementLinesMax = 10_000;
/** Entries and card items of a volume. */
export const volumeLinesMax = 5_000;

const at = (description: string) =>
  z.iso.datetime().meta({ format: "date-time", description, examples: ["2026-01-31T10:00:00.000Z"] });
const day = (description: string) => z.iso.date().meta({ description, examples: ["2026-01-31"] });
const money = (description: string, example = "25.50") => z.string().meta({ description, examples: [example] });
const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });

/** The same with its description, or null. */
const orNull = <S extends z.ZodType>(schema: S) => schema.nullable().meta({ ...schema.meta() });

const cardFields = {
  threadId: text("The payment's thread, as in `GET /cards/transactions`", "iauth_1a2b3c4d5e6f708192a3b4c5"),
  cardToken: text("The card's token at the issuer", "ic_1a2b3c4d5e6f708192a3b4c5"),
  merchant: z
    .object({
      name: text("Name; empty if the issuer sends none", "Corner Shop"),
      city: text("City; empty if the issuer sends none", "Berlin"),
      country: text("Two-letter code; empty if the issuer sends none", "DE"),
      mcc: text("Merchant category code", "5411"),
    })
    .meta({ description: "The paid merchant" }),
  transactionAmount: money("The merchant's amount, in its currency"),
  transactionCurrency: text("The merchant's currency, ISO 4217", "USD"),
  rate: orNull(money("Units of the merchant's currency for one of the account's; null in the same currency", "1.0842")),
  referenceRate: orNull(
    money("The reference rate of that day in the same terms; null where the operator has none", "1.0931"),
  ),
  referenceDay: orNull(day("The day of the reference rate; null without one")),
  markupPercent: orNull(money("Mark-up over the reference rate; null without one", "0.82")),
  feeAmount: money("Of the amount, the fee of the cash machine's owner", "0.00"),
};

const original = z
  .object({
    threadId: text("The thread of the original payment", "iauth_1a2b3c4d5e6f708192a3b4c5"),
    hash: z
      .string()
      .nullable()
      .meta({ description: "Transaction that paid it; null where none moved", examples: ["0x8e1b"] }),
  })
  .nullable()
  .meta({ description: "The payment that it belongs to; null for a payment itself" });

export const statementEntry = z
  .object({
    at: at("When it moved: its block's time"),
    statedAt: at("When it counts here. Later than `at`: it was found after its month was closed"),
    kind: z.enum(entryKindNames).meta({
      description: Object.entries(entryKinds)
        .map(([kind, means]) => `\`${kind}\`: ${means}`)
        .join("; "),
      examples: ["card_payment"],
    }),
    amount: money("Above zero into the account, below zero out of it", "-25.50"),
    balance: money("The balance behind it", "74.50"),
    description: text("In words", "Corner Shop, Berlin"),
    count: z
      .int()
      .optional()
      .meta({
        description: "How many transfers of a day the entry sums; absent for a single movement",
        examples: [40],
      }),
    hash: text(
      "The transaction on chain; empty for a sum",
      "0x8e1b9c6a5d4f3e2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a",
    ),
    party: text("The address on the other side; empty for a sum", "0x000000000000000000000000000000000000bEEF"),
    counterpart: z
      .object({
        name: z
          .string()
          .nullable()
          .meta({ description: "Name; null if the bank sends none", examples: ["Grace Hopper"] }),
        iban: z
          .string()
          .nullable()
          .meta({ description: "IBAN; null if it is another account", examples: ["DE89370400440532013000"] }),
        memo: z
          .string()
          .nullable()
          .meta({ description: "Reference of the payment", examples: ["Rent"] }),
      })
      .nullable()
      .meta({ description: "Who sent money to the IBAN; null elsewhere" }),
    card: z
      .object({
        ...cardFields,
        isPending: z.boolean().meta({ description: "Authorized, and not captured yet", examples: [false] }),
        clearedAt: orNull(at("The issuer's date of the capture; null before")),
        original,
      })
      .nullable()
      .meta({ description: "The card payment that it belongs to; null elsewhere" }),
  })
  .meta({ id: "StatementEntry", description: "One movement of the account's money" });
export type StatementEntry = z.output<typeof statementEntry>;

export const cardItem = z
  .object({
    id: text("The issuer's id of it", "ipi_1a2b3c4d5e6f708192a3b4c5"),
    kind: z.enum(cardItemKinds).meta({ description: "payment: a capture", examples: ["payment"] }),
    at: at("The issuer's date"),
    statedAt: at("When it counts here. Later than `at`: it arrived after its month was closed"),
    amount: money("What it takes from the account below zero, what it returns above", "-25.50"),
    ...cardFields,
    original,
  })
  .meta({ id: "StatementCardItem", description: "A capture, refund or reversal, by the issuer's date" });
export type CardItem = z.output<typeof cardItem>;

export const statement = z
  .object({
    month: z
      .string()
      .nullable()
      .meta({ description: "The month; null for another range", examples: ["2026-01"] }),
    volume: z
      .int()
      .optional()
      .meta({ description: "Number of the volume; absent for a month in one document", examples: [1] }),
    volumes: z
      .int()
      .optional()
      .meta({ description: "How many volumes its month has", examples: [20] }),
    from: at("From this instant on"),
    to: at("Up to this instant, without it"),
    timeZone: text("The zone by whose midnight its days end", "Europe/Berlin"),
    isFinal: z.boolean().meta({ description: "Whether it stays as it is: its month is over", examples: [true] }),
    createdAt: at("When it was made"),
    digest: z
      .string()
      .nullable()
      .meta({
        description: "SHA-256 of what was stored, in hex; null before the month is over",
        examples: ["9f86d081884c7d65"],
      }),
    issuedBy: text("The operator's name", "Cardkeep"),
    language: text("Language of its pages, ISO 639-1: the holder's, when it was made", "en").optional(),
    holder: z
      .object({
        name: text("First and last name; empty before the verification", "Ada Lovelace"),
        address: z
          .array(z.string())
          .meta({ description: "Postal address, line by line", examples: [["Unter den Linden 1"]] }),
      })
      .meta({ description: "The account's holder" }),
    account: text("The Safe's address", "0xcB444e90D8198415266c6a2724b7900fb12FC56E"),
    iban: z
      .string()
      .nullable()
      .meta({ description: "The IBAN; null without one", examples: ["DE89370400440532013000"] }),
    currency: text("The account's currency, ISO 4217", "EUR"),
    openingBalance: money("On chain at its beginning", "100.00"),
    closingBalance: money("On chain at its end", "74.50"),
    totalIn: money("All entries above zero", "0.00"),
    totalOut: money("All entries below zero", "-25.50"),
    cardTotal: money("All card items", "-25.50"),
    entries: z.array(statementEntry).meta({ description: "Movements of money, oldest first" }),
    cardItems: z
      .array(cardItem)
      .meta({ description: "Captures, refunds and reversals by the issuer's dates, oldest first" }),
  })
  .meta({ id: "Statement", description: "A statement of account" });
export type Statement = z.output<typeof statement>;

export const listedMonth = z
  .object({
    month: text("The month, for `GET /statements/{month}`", "2026-01"),
    from: at("From this instant on"),
    to: at("Up to this instant, without it"),
    isFinal: z
      .boolean()
      .meta({ description: "Whether its statement stays as it is: the month is over", examples: [true] }),
    volumes: z
      .int()
      .optional()
      .meta({ description: "How many volumes it is in; absent for a month in one document", examples: [20] }),
  })
  .meta({ id: "StatementMonth", description: "A month with a statement" });
export type ListedMonth = z.output<typeof listedMonth>;

export const statementFormats = ["json", "csv", "pdf", "camt053"] as const;
export type StatementFormat = (typeof statementFormats)[number];
