/** Money in the user's Safe: balances and withdrawals. */
import { z } from "zod";
import { authorization, delayedTransaction, moduleTypedData } from "./delays.ts";
import { addressWith, positiveTokenAmount, tokenAmount } from "./primitives.ts";
import { defineRoute } from "./route.ts";

/** How routes below `/accounts` tell their faults. */
export const accounts = {
  access: "user",
  errorStyle: "error",
  unauthorizedStyle: "error",
  failure: { style: "message", text: "An unexpected error occurred." },
} as const;

// In this order their faults are told.
const withdrawal = {
  amount: positiveTokenAmount("amount must be a valid integer"),
  to: addressWith("Invalid to address format").meta({ description: "Destination address" }),
  tokenAddress: addressWith("Invalid tokenAddress address format").meta({
    description: "Token contract; the zero address stands for the native token",
  }),
};

export const balances = defineRoute({
  ...accounts,
  method: "GET",
  path: "/account-balances",
  summary: "Balances in the base units of the Safe's token; total is spendable plus pending",
  output: z.object({ total: tokenAmount, spendable: tokenAmount, pending: tokenAmount }),
  errors: ["auth.unauthorized", "safes.not_found"],
  failure: { style: "error", text: "Internal server error" },
});

export const withdrawalData = defineRoute({
  ...accounts,
  method: "GET",
  path: "/accounts/withdraw/transaction-data",
  summary: "The typed data to sign for a withdrawal",
  input: z.object(withdrawal),
  output: z.object({ data: moduleTypedData }),
  errors: ["request.invalid", "auth.unauthorized", "safes.not_found"],
});

export const withdraw = defineRoute({
  ...accounts,
  method: "POST",
  path: "/accounts/withdraw",
  summary: "Withdraws a token through the delay relay",
  openToDeactivated: true,
  input: z.object({ ...withdrawal, ...authorization }),
  output: z.object({ data: delayedTransaction }),
  errors: [
    "request.invalid",
    "auth.unauthorized",
    "safes.not_found",
    "delays.message_mismatch",
    "delays.invalid_signature",
    "delays.already_submitted",
    "accounts.insufficient_balance",
    "accounts.transfer_refused",
    "delays.quota_exceeded",
  ],
});
