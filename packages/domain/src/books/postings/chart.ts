/**
 * The chart of accounts of the firm's books.
 *
 * - memo: money that is not the operator's; memo accounts sum to zero among themselves. - debit: above zero in a line.
 * - witness: a record of others that an account is compared with at each close.
 */
import { nativeDecimals } from "@cardkeep/contract/core/primitives";
import type { Currency } from "@cardkeep/contract/core/currencies";
import { tokenOf } from "@cardkeep/chain/tokens";

interface Kind {
  readonly owner: "customers" | "operator";
  readonly group: "memo" | "asset" | "liability" | "equity" | "income" | "expense";
  readonly text: string;
  /** Its outside witness, or that it has none, and why. */
  readonly witness: string;
}

/** Income and expenses are the other side of a line that has one. */
const noneOfResult = "none: each line stands against one of an account with a witness";

const memo = (text: string, witness: string): Kind => ({ owner: "customers", group: "memo", text, witness });
const own = (group: Exclude<Kind["group"], "memo">, text: string, witness = noneOfResult): Kind => ({
  owner: "operator",
  group,
  text,
  witness,
});

export const accountKinds = {
  safes: memo(
    "Customers' Safes: what this programme's events moved in and out of them",
    "the institution for money by IBANs and, in turn, for the balance of each Safe with an IBAN; the rows of card money; what people move by themselves is not booked",
  ),
  holds: memo("Still in the Safes, on its way out for card payments", "none outside: the rows of card money"),
  customers: memo("The other side of the two: what customers own", "none: the other side of safes and holds"),
  settlement: own("asset", "Tokens at the settlement account", "the chain, each transfer"),
  treasury: own(
    "asset",
    "Tokens at the treasury, which are e-money at the institution",
    "the chain, each transfer; and the balance at the institution",
  ),
  transit: own(
    "asset",
    "Money between institution, bank and issuer",
    "none while a bank has it: it ends with the top-up that the issuer lists",
  ),
  prefund: own(
    "asset",
    "The operator's balance at the issuer",
    "the issuer, each top-up, and each other balance transaction since the first sign-up",
  ),
  bank: own("asset", "The operator's bank account", "none here: compare it with the bank's statement"),
  "gas-funds": own(
    "asset",
    "Native tokens of the top-up account",
    "none here: `doctor` reads the balance on chain, from which fees are missing",
  ),
  "customer-debts": own("asset", "Card payments that customers owe", "none outside: the rows of card money"),
  "issuer-clearing": own(
    "liability",
    "Card payments between their authorization and their clearing",
    "none of its own: the chain on one side, the issuer on the other; nothing once all is cleared",
  ),
  "provisional-credits": own(
    "liability",
    "Disputes: paid to customers less what the issuer gave back",
    "none of its own: the rows of card money for what was credited, the issuer for what came back",
  ),
  payable: own(
    "liability",
    "Payable to customers: what orders do not use",
    "none of its own: the chain, once it is paid or returned",
  ),
  vat: own("liability", "Value added tax on card orders", "none here: the tax office, by what you declare"),
  suspense: own("liability", "Unannounced money", "none: it stands against what a witness has and no event explains"),
  capital: own("equity", "The operator's own money", "none here: your own accounts"),
  "order-income": own("income", "Card orders by the price list, without tax"),
  interchange: own("income", "Interchange that the issuer shares"),
  coupons: own("expense", "What coupons take off the price of orders"),
  cashback: own("expense", "Cashback"),
  "issuer-fees": own("expense", "Fees of the issuer"),
  gas: own("expense", "Native tokens for transactions"),
  "dispute-losses": own("expense", "Disputes that customers won here and the network decided for the merchant"),
  "fraud-losses": own("expense", "Fraud that the operator bears"),
  "credit-losses": own("expense", "Debts that were written off"),
  goodwill: own("expense", "Returned by operators, without the merchant"),
  fx: own("expense", "Exchange of currencies"),
} as const satisfies Record<string, Kind>;
export type AccountKind = keyof typeof accountKinds;

/** The native token, which pays for transactions. */
export const nativeCurrency = "XDAI";
export type BookCurrency = Currency | typeof nativeCurrency;

/** Decimals of a line's amount: those of the currency's token. */
export const decimalsOf = (currency: BookCurrency): number =>
  currency === nativeCurrency ? nativeDecimals : tokenOf[currency].decimals;

/** `settlement:EUR`. */
export const nameAccount = (kind: AccountKind, currency: BookCurrency): string => `${kind}:${currency}`;

const isKind = (word: string): word is AccountKind => Object.hasOwn(accountKinds, word);

/** The kind of an account by its name; null for one that this version does not know. */
export function kindOf(account: string): AccountKind | null {
  const [word = ""] = account.split(":");
  return isKind(word) ? word : null;
}
