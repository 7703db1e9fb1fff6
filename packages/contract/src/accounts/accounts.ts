/** Money in the user's Safe: balances and withdrawals. */
import { z } from "zod";
import { authorizationOf, delayedTransaction, signedData } from "./delays.ts";
import { addressWith, positiveTokenAmount, tokenAmount } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

/** How routes below `/accounts` report errors. */
export const accounts = {
  access: "user",
  errorStyle: "error",
  unauthorizedStyle: "error",
  failure: { style: "message", text: "An unexpected error occurred." },
} as const;

// Errors are reported in this order.
const withdrawal = {
  amount: positiveTokenAmount("amount must be a valid integer"),
  to: addressWith("Invalid to address format").meta({
    description: "Destination address, in any letter case",
    examples: ["0x000000000000000000000000000000000000bEEF"],
  }),
  tokenAddress: addressWith("Invalid tokenAddress address format").meta({
    description: "Token contract; the zero address stands for the native token",
    examples: ["0xcB444e90D8198415266c6a2724b7900fb12FC56E"],
  }),
};

export const balanceFields = {
  total: tokenAmount.meta({ description: "Spendable plus pending, in the token's base units" }),
  spendable: tokenAmount.meta({ description: "The amount that can be spent or withdrawn, in the token's base units" }),
  pending: tokenAmount.meta({ description: "Held by cards and open withdrawals, in the token's base units" }),
};

export const balances = defineRoute({
  ...accounts,
  method: "GET",
  path: "/account-balances",
  scope: "balances",
  summary: "Balances in the base units of the Safe's token; total is spendable plus pending",
  output: z.object(balanceFields).meta({ id: "Balances", description: "The Safe's balance of its token" }),
  errors: ["safes.not_found"],
  failure: { style: "error", text: "Internal server error" },
});

export const withdrawalData = defineRoute({
  ...accounts,
  method: "GET",
  path: "/accounts/withdraw/transaction-data",
  summary: "The typed data to sign for a withdrawal",
  input: z.object(withdrawal),
  output: z.object({ data: signedData }),
  errors: ["request.invalid", "safes.not_found", "accounts.unsuitable_destination"],
});

export const withdraw = defineRoute({
  ...accounts,
  method: "POST",
  path: "/accounts/withdraw",
  summary: "Withdraws a token through the delay relay",
  openToDeactivated: true,
  input: z.object({ ...withdrawal, ...authorizationOf(withdrawalData.path) }),
  output: z.object({ data: delayedTransaction.meta({ description: "The withdrawal; `transactionData` is JSON" }) }),
  errors: [
    "request.invalid",
    "safes.not_found",
    "delays.message_mismatch",
    "delays.invalid_signature",
    "delays.signer_leaving",
    "delays.already_submitted",
    "accounts.unsuitable_destination",
    "accounts.insufficient_balance",
    "accounts.transfer_refused",
    "accounts.withdrawals_stopped",
    "delays.quota_exceeded",
  ],
});
