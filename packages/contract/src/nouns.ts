/** The nouns of the route table, as the reference page and the OpenAPI document introduce them. */
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
  users: { title: "User", summary: "The signed-in user and the terms they accepted." },
  terms: { title: "Terms", summary: "The documents in force." },
  kyc: {
    title: "Identity verification",
    summary: "Two ways into the provider's flow, whose callbacks move the status; and the source of funds.",
  },
  phone: { title: "Phone", summary: "A phone number, proved by a code sent to it." },
  safes: { title: "Safe", summary: "The user's self-custodial account: deployment, configuration and currency." },
  accounts: {
    title: "Account",
    summary:
      "Balances, withdrawals and the daily limit, which change through a three-minute delay; and the older way to an account.",
  },
  owners: { title: "Owners", summary: "The wallets that may move the Safe's funds, as the chain has them." },
  delays: { title: "Delay relay", summary: "Operations on the Safe that have been signed and accepted." },
  orders: {
    title: "Card orders",
    summary: "From ordering a card to having it made, paid with coupons or on chain.",
  },
  cards: {
    title: "Cards",
    summary: "Physical and virtual cards that spend the Safe's money: made, activated, frozen, reported and given up.",
  },
  ibans: {
    title: "IBAN",
    summary: "A bank account number whose incoming money arrives in the Safe, given by an e-money institution.",
  },
  transactions: {
    title: "Card transactions",
    summary: "What cards were used for, how the money follows on chain, and disputes.",
  },
  rewards: { title: "Rewards", summary: "What card purchases give back, by the operator's programme." },
  signInWallets: {
    title: "Sign-in wallets",
    summary: "Wallets that may sign in for the user, on the wire EOA accounts.",
  },
  webhooks: {
    title: "Webhooks",
    summary: "A user's consent that a partner receives their events, and the keys that verify deliveries.",
  },
  partners: { title: "Partners", summary: "What a partner asks with its own API key." },
};
