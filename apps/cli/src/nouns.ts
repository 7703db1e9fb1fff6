/** Every noun, in the order of the usage. */
import { cards } from "./cards.ts";
import { coupons } from "./coupons.ts";
import { delays } from "./delays.ts";
import { doctor } from "./doctor.ts";
import { jobs } from "./jobs.ts";
import type { Nouns } from "./parse.ts";
import { orders } from "./orders.ts";
import { partners } from "./partners.ts";
import { questions } from "./questions.ts";
import { relayers } from "./relayers.ts";
import { users } from "./users.ts";
import { webhooks } from "./webhooks.ts";

export const nouns: Nouns = {
  partners,
  webhooks,
  coupons,
  orders,
  cards,
  users,
  questions,
  delays,
  relayers,
  jobs,
  doctor,
};
