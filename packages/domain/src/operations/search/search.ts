/** The operator's search: one text, everything that it may stand for. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { fail } from "@cardkeep/contract/core/errors";
import { type Clue, type Hit, searchRows, type SearchKind, type WalkedKind } from "@cardkeep/db/searchRows";
import { findMerchants } from "@cardkeep/db/queries/operations/search/merchants";
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
import type { OperatorContext } from "../../core/context.ts";
import { hasRole } from "../../core/operators/requireRole.ts";
import type { OperatorVerb } from "../../core/operators/verbs.ts";
import { maySeePeople } from "../../users/users/listUsers.ts";
import { moveToServiceTime, readClockLeadMs } from "../../core/jobs/listJobs.ts";
import { readClues } from "./readClues.ts";

/** Rows of each kind that a search shows. */
export const hitsMax = 10;

/** A longer text is no name, no id and no part of one. */
export const searchTextMax = 200;

/** Each kind of row, in the order in which they are shown. An operator searches for the rows that the operator may list. */
const kinds = {
  users: { verb: "users.list", name: "Users", searched: searchedUsers },
  safes: { verb: "users.list", name: "Safes", searched: searchedSafes },
  ibans: { verb: "users.list", name: "IBANs", searched: searchedIbans },
  cards: { verb: "cards.list", name: "Cards", searched: searchedCards },
  payments: { verb: "payments.list", name: "Card payments", searched: searchedPayments },
  merchants: { verb: "payments.list", name: "Merchants", searched: { find: findMerchants } },
  orders: { verb: "orders.list", name: "Card orders", searched: searchedOrders },
  delays: { verb: "delays.list", name: "Delayed operations", searched: searchedDelays },
  relayTransactions: { verb: "relayers.list", name: "Relay transactions", searched: searchedRelayTransactions },
  partners: { verb: "partners.list", name: "Partners", searched: searchedPartners },
  deliveries: { verb: "deliveries.list", name: "Deliveries", searched: searchedDeliveries },
  events: { verb: "deliveries.list", name: "Events", searched: searchedEvents },
  jobs: { verb: "jobs.list", name: "Jobs", searched: searchedJobs },
} as const satisfies Record<string, { verb: OperatorVerb; name: string; searched: SearchKind | WalkedKind }>;

export type FoundKind = keyof typeof kinds;

const kindNames = keysOf(kinds);

/** What people call the rows of a kind. */
export const nameKind = (kind: FoundKind): string => kinds[kind].name;

/** What was found of one kind: the rows that the text names exactly first, then the newest. */
export interface FoundGroup {
  readonly kind: FoundKind;
  readonly hits: readonly Hit[];
  /** Whether there are more than are shown. */
  readonly isMore: boolean;
}

/**
 * Everything that a text may stand for and that the operator may see: ten rows of each kind.
 *
 * The text is read first, so only queries that fit it run, each by an index and all at once. Kinds without a row are left out.
 *
 * @throws request.invalid for an empty text, or one of more than `searchTextMax` characters
 */
export async function search(
  ctx: Pick<OperatorContext, "db" | "clock" | "actor">,
  { text: given }: { text: string },
): Promise<{ text: string; groups: FoundGroup[] }> {
  // The database cannot search for a null character or half of a surrogate pair.
  const text = given.toWellFormed().replaceAll("\0", "\ufffd").trim();
  if (text === "") fail("request.invalid", { text: "Type something to search for" });
  if (text.length > searchTextMax) fail("request.invalid", { text: `Search for ${searchTextMax} characters at most` });
  const clues = readClues(text);
  const limit = hitsMax + 1;
  const allowed = kindNames.filter((kind) => hasRole(ctx.actor, kinds[kind].verb));
  const found = allowed.map(async (kind): Promise<FoundGroup> => {
    const hits = await findHits(ctx, kind, { clues, limit });
    const [exact = [], others = []] = [true, false].map((isExact) =>
      hits.filter((hit) => isNamed(hit, text) === isExact),
    );
    return { kind, hits: [...exact, ...others].slice(0, hitsMax), isMore: hits.length > hitsMax };
  });
  return { text, groups: (await Promise.all(found)).filter(({ hits }) => hits.length > 0) };
}

/** Who sees no name and no number of a person finds nothing by them either: each hit would show a part of it. */
function withoutPeople(clue: Clue): Clue[] {
  if (clue.by === "phone" || clue.by === "iban") return [];
  return [clue.by === "words" ? { ...clue, words: [] } : clue];
}

/** Only in what is shown of a user does the detail hold a name, and of an IBAN the title its number. */
async function findHits(
  ctx: Pick<OperatorContext, "db" | "clock" | "actor">,
  kind: FoundKind,
  wanted: { clues: readonly Clue[]; limit: number },
): Promise<Hit[]> {
  const searched: SearchKind | WalkedKind = kinds[kind].searched;
  if ("find" in searched) return searched.find(ctx.db, { ...wanted, now: await ctx.clock.now(ctx.db) });
  const isHidden = (kind === "users" || kind === "ibans") && !maySeePeople(ctx.actor);
  const clues = isHidden ? wanted.clues.flatMap(withoutPeople) : wanted.clues;
  const hits = await searchRows(ctx.db, searched, { ...wanted, clues });
  if (isHidden) return hits.map((hit) => ({ ...hit, ...(kind === "users" ? { detail: null } : { title: hit.id }) }));
  if (kind !== "jobs" || hits.length === 0) return hits;
  const leadMs = await readClockLeadMs(ctx);
  return hits.map((hit) => ({ ...hit, createdAt: moveToServiceTime(hit.createdAt, leadMs) }));
}

/** Whether the text is a row's id or title, and no part of it. */
export const isNamed = ({ id, title }: Pick<Hit, "id" | "title">, text: string): boolean =>
  [id, title].some((name) => name.toLowerCase() === text.toLowerCase());
