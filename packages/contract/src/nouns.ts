/** Titles and summaries of the route table's nouns, for the reference page and the OpenAPI document. */
import type { Routes } from "./routes.ts";

interface Noun {
  readonly title: string;
  readonly summary: string;
}

export const nouns: Readonly<Record<keyof Routes, Noun>> = {
  auth: {
    title: "Authentication",
    summary: "Sign-in with a wallet's signed message (EIP-4361), and sign-up with an e-mail address.",
  },
  users: { title: "User", summary: "The signed-in user and their accepted terms." },
  terms: { title: "Terms", summary: "The terms in force." },
  kyc: {
    title: "Identity verification",
    summary: "Two ways into the provider's flow, whose callbacks move the status; and the source of funds.",
  },
  phone: { title: "Phone", summary: "A phone number, proven by a code sent to it." },
  safes: { title: "Safe", summary: "The user's self-custodial account: deployment, configuration and currency." },
  accounts: {
    title: "Account",
    summary:
      "Balances, withdrawals and the daily limit, which change through a three-minute delay; and the older way to create an account.",
  },
  owners: { title: "Owners", summary: "The wallets that may move the Safe's funds, read from the chain." },
  delays: { title: "Delay relay", summary: "Accepted, signed operations on the Safe." },
  orders: {
    title: "Card orders",
    summary: "From the order of a card to its production, paid with coupons or on chain.",
  },
  cards: {
    title: "Cards",
    summary: "Physical and virtual cards that spend the Safe's money: issued, activated, frozen, reported and voided.",
  },
  walletTokens: {
    title: "Digital wallets",
    summary: "Cards in Apple Pay, Google Pay and other wallets: listed, suspended, resumed and deleted.",
  },
  ibans: {
    title: "IBAN",
    summary: "A bank account number from an e-money institution. Money sent to it arrives in the Safe.",
  },
  transactions: {
    title: "Card transactions",
    summary: "Card payments, their transactions on chain, and disputes.",
  },
  rewards: { title: "Rewards", summary: "Cashback on card purchases, by the operator's programme." },
  signInWallets: {
    title: "Sign-in wallets",
    summary: "Wallets that may sign in for the user, called EOA accounts on the wire.",
  },
  statements: {
    title: "Statements",
    summary: "What moved in the account in a month or another range, with both balances: JSON, CSV, PDF, camt.053.",
  },
  tokens: {
    title: "Tokens",
    summary: "Keys with which programs of a user read transactions, balances or statements, and change nothing.",
  },
  webhooks: {
    title: "Webhooks",
    summary: "A user's consent that a partner receives their events, and the keys that verify deliveries.",
  },
  partners: { title: "Partners", summary: "Requests of a partner with its own API key." },
};
