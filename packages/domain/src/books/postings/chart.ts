/**
 * The chart of accounts of the firm's books.
 *
 * - memo: money that is not the operator's; memo accounts sum to zero among themselves. - debit: above zero in a line.
 */
import type { Currency } from "@cardkeep/contract/core/currencies";
import { tokenOf } from "@cardkeep/chain/tokens";

interface Kind {
  readonly owner: "customers" | "operator";
  readonly group: "memo" | "asset" | "liability" | "equity" | "income" | "expense";
  readonly text: string;
}

const memo = (text: string): Kind => ({ owner: "customers", group: "memo", text });
const own = (group: Exclude<Kind["group"], "memo">, text: string): Kind => ({ owner: "operator", group, text });

export const accountKinds = {
  safes: memo("Customers' Safes: what this programme's events moved in and out of them"),
  holds: memo("Still in the Safes, on its way out for card payments"),
  customers: memo("The other side of the two: what customers own"),
  settlement: own("asset", "Tokens at the settlement account"),
  treasury: own("asset", "Tokens at the treasury, which are e-money at the institution"),
  transit: own("asset", "Money between institution, bank and issuer"),
  prefund: own("asset", "The operator's balance at the issuer"),
  bank: own("asset", "The operator's bank account"),
  "gas-funds": own("asset", "Native tokens of the top-up account"),
  "customer-debts": own("asset", "Card payments that customers owe"),
  "issuer-clearing": own("liability", "Card payments between their authorization and their clearing"),
  "provisional-credits": own("liability", "Disputes: paid to customers less what the issuer gave back"),
  payable: own("liability", "Payable to customers: what orders do not use"),
  vat: own("liability", "Value added tax on card orders"),
  suspense: own("liability", "Unannounced money"),
  capital: own("equity", "The operator's own money"),
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

const nativeDecimals = 18;

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
