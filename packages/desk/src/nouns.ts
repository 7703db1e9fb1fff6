/** The table of nouns. Commands, pages, navigation and the operator's API follow from it. */
import type { Noun } from "./noun.ts";
import { cases } from "./nouns/cases.ts";
import { coupons } from "./nouns/coupons.ts";
import { cards } from "./nouns/cards.ts";
import { payments } from "./nouns/payments.ts";
import { stops } from "./nouns/stops.ts";
import { users } from "./nouns/users.ts";

export const deskNouns: readonly Noun[] = [users, cards, coupons, payments, cases, stops];
