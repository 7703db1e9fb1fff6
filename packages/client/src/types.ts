/** Names of what travels, so that a program can say what its functions take and answer. */
import type { AppRouter } from "@cardkeep/contract/routes";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";

/** What each call takes, as `CallInputs["accounts"]["withdraw"]`. */
export type CallInputs = inferRouterInputs<AppRouter>;

/** What each call answers, as `CallOutputs["cards"]["list"]`. */
export type CallOutputs = inferRouterOutputs<AppRouter>;

/** The user whose token the client has, as `users.me` answers it. */
export type User = CallOutputs["users"]["me"];

/** The Safe's balances in base units, as `accounts.balances` answers them. */
export type Balances = CallOutputs["accounts"]["balances"];

/** A card, as `cards.list` answers it. */
export type Card = CallOutputs["cards"]["list"][number];

/** A use of a card in the history, as `transactions.list` answers it. */
export type CardTransaction = CallOutputs["transactions"]["list"]["results"][number];

/** An operation in the Safe's Delay module, as `delays.list` answers it. */
export type Delay = CallOutputs["delays"]["list"][number];

/** An order of a physical card, as `orders.list` answers it. */
export type Order = CallOutputs["orders"]["list"][number];
