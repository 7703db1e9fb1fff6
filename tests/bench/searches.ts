/** The queries of the operator's search: each kind of text, through each kind of row that it leads to. */
import { searchRows, type SearchKind } from "@cardkeep/db/searchRows";
import { searchedCards, searchedOrders, searchedPayments } from "@cardkeep/db/queries/operations/search/money";
import {
  searchedDelays,
  searchedDeliveries,
  searchedEvents,
  searchedPartners,
  searchedRelayTransactions,
} from "@cardkeep/db/queries/operations/search/operations";
import { searchedIbans, searchedSafes, searchedUsers } from "@cardkeep/db/queries/operations/search/people";
import { searchedJobs } from "@cardkeep/db/queue/searchedJobs";
import { readClues } from "@cardkeep/domain/operations/search/readClues";
import { hitsMax } from "@cardkeep/domain/operations/search/search";
import { nameDelivery, nameRow } from "./fill.ts";
import type { Question } from "./plans.ts";

const kinds: Readonly<Record<string, SearchKind>> = {
  users: searchedUsers,
  safes: searchedSafes,
  ibans: searchedIbans,
  cards: searchedCards,
  payments: searchedPayments,
  orders: searchedOrders,
  delays: searchedDelays,
  relayTransactions: searchedRelayTransactions,
  partners: searchedPartners,
  deliveries: searchedDeliveries,
  events: searchedEvents,
  jobs: searchedJobs,
};

/** Texts that operators type, rare and frequent ones, for rows of `fill`. */
const searchedTexts: Readonly<Record<string, string>> = {
  mail: "old-1001@example.org",
  partOfMail: "d-1001@exam",
  frequentPartOfMail: "gmail",
  unknownMail: "xyzzy@example.net",
  name: "majo",
  names: "maan liri",
  phone: "+49 1501 2345",
  wallet: `0xa${(7).toString(16).padStart(39, "0")}`,
  safe: `0xb${(7).toString(16).padStart(39, "0")}`,
  lastFour: "4242",
  iban: "EE38 7777 1234",
  card: "old-5",
  request: "old-7",
  id: nameRow(5),
  delivery: nameDelivery(5),
  transaction: `0x3${(7).toString(16).padStart(63, "0")}`,
};

/** Every query of these searches, by its text and kind. */
export const searches: Readonly<Record<string, Question>> = Object.fromEntries(
  Object.entries(searchedTexts).flatMap(([name, text]) => {
    const clues = readClues(text);
    return Object.entries(kinds)
      .filter(([, { findIds }]) => clues.some((clue) => findIds(clue, hitsMax + 1) !== null))
      .map(([kind, searched]): [string, Question] => [
        `search ${name} in ${kind}`,
        ({ db }) => searchRows(db, searched, { clues, limit: hitsMax + 1 }),
      ]);
  }),
);
