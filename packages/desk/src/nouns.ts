/** The table of nouns. Commands, pages, navigation and the operator's API follow from it. */
import type { Noun } from "./noun.ts";
import { actions } from "./nouns/actions.ts";
import { approvals } from "./nouns/approvals.ts";
import { exports } from "./nouns/exports.ts";
import { books } from "./nouns/books.ts";
import { callbacks } from "./nouns/callbacks.ts";
import { cards } from "./nouns/cards.ts";
import { cases } from "./nouns/cases.ts";
import { chores } from "./nouns/chores.ts";
import { coupons } from "./nouns/coupons.ts";
import { delays } from "./nouns/delays.ts";
import { deliveries } from "./nouns/deliveries.ts";
import { disputes } from "./nouns/disputes.ts";
import { figures } from "./nouns/figures.ts";
import { jobs } from "./nouns/jobs.ts";
import { ledger } from "./nouns/ledger.ts";
import { operators } from "./nouns/operators.ts";
import { orders } from "./nouns/orders.ts";
import { partners } from "./nouns/partners.ts";
import { payments } from "./nouns/payments.ts";
import { rates } from "./nouns/rates.ts";
import { relayers } from "./nouns/relayers.ts";
import { rules } from "./nouns/rules.ts";
import { stops } from "./nouns/stops.ts";
import { treasury } from "./nouns/treasury.ts";
import { users } from "./nouns/users.ts";
import { walletTokens } from "./nouns/walletTokens.ts";

export const deskNouns: readonly Noun[] = [
  figures,
  users,
  cards,
  walletTokens,
  orders,
  coupons,
  payments,
  disputes,
  cases,
  rules,
  delays,
  ledger,
  rates,
  exports,
  books,
  treasury,
  deliveries,
  callbacks,
  jobs,
  relayers,
  chores,
  stops,
  partners,
  approvals,
  actions,
  operators,
];
