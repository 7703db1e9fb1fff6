/** The table of nouns. Commands, pages, navigation and the operator's API follow from it. */
import type { Noun } from "./noun.ts";
import { actions } from "./nouns/actions.ts";
import { approvals } from "./nouns/approvals.ts";
import { callbacks } from "./nouns/callbacks.ts";
import { jobs } from "./nouns/jobs.ts";
import { orders } from "./nouns/orders.ts";
import { cases } from "./nouns/cases.ts";
import { coupons } from "./nouns/coupons.ts";
import { cards } from "./nouns/cards.ts";
import { payments } from "./nouns/payments.ts";
import { stops } from "./nouns/stops.ts";
import { users } from "./nouns/users.ts";

export const deskNouns: readonly Noun[] = [
  users,
  cards,
  orders,
  coupons,
  payments,
  cases,
  callbacks,
  jobs,
  stops,
  approvals,
  actions,
];
