/** The table of nouns. Commands, pages, navigation and the operator's API follow from it. */
import type { Noun } from "./noun.ts";
import { cases } from "./nouns/cases.ts";
import { coupons } from "./nouns/coupons.ts";
import { stops } from "./nouns/stops.ts";

export const deskNouns: readonly Noun[] = [coupons, cases, stops];
