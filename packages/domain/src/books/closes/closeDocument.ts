import type { Comparison } from "@cardkeep/db/queries/books/closes";
import { daysBetween } from "../../core/calendar.ts";
import { type Item, sumItems } from "./carryOver.ts";

/** An account of a close, in base units of its currency. */
export interface CloseAccount {
  account: string;
  currency: string;
  opening: string;
  movement: string;
  closing: string;
}

/** A comparison of an account with a witness: of the day what each has, and the difference of all days so far. */
export interface CloseComparison {
  witness: string;
  account: string;
  currency: string;
  witnessed: string;
  booked: string;
  /** What the witness has beyond the books: the day's and all earlier. The open items come to it. */
  difference: string;
}

export interface CloseItem {
  id: string;
  witness: string;
  account: string;
  currency: string;
  reference: string;
  amount: string;
  cause: string;
  owner: string;
  firstDay: string;
  ageDays: number;
}

/** A close as it is stored, digested and shown. Amounts are whole numbers of base units, as text. */
export interface CloseDocument {
  format: "cardkeep-close-1";
  day: string;
  timeZone: string;
  /** The digest of the close of the day before; null for the first one. */
  previousDigest: string | null;
  /** Merkle root of the postings of the day, in the order of their ids. */
  root: string;
  postings: number;
  lines: number;
  accounts: CloseAccount[];
  comparisons: CloseComparison[];
  items: CloseItem[];
  /** Ids of the items that ended by this day. */
  resolved: string[];
  closedAt: string;
}

interface Facts {
  readonly day: string;
  readonly timeZone: string;
  readonly closedAt: Date;
  readonly root: string;
  readonly postings: number;
  readonly lines: number;
  readonly previous: { readonly digest: string; readonly document: CloseDocument } | null;
  readonly movements: ReadonlyMap<string, { readonly currency: string; readonly amount: bigint }>;
  readonly compared: readonly Comparison[];
  readonly open: readonly Item[];
  readonly resolved: readonly Item[];
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function buildAccounts({ previous, movements }: Pick<Facts, "previous" | "movements">): CloseAccount[] {
  const opening = new Map((previous?.document.accounts ?? []).map((row) => [row.account, row]));
  const names = [...new Set([...opening.keys(), ...movements.keys()])].toSorted(byName);
  return names.map((account) => {
    const before = BigInt(opening.get(account)?.closing ?? 0);
    const moved = movements.get(account)?.amount ?? 0n;
    const currency = opening.get(account)?.currency ?? movements.get(account)?.currency ?? "";
    return {
      account,
      currency,
      opening: String(before),
      movement: String(moved),
      closing: String(before + moved),
    };
  });
}

/** Comparisons of the day with all earlier ones. @throws Error where items do not come to a difference: a defect of ours */
function buildComparisons({ previous, compared, open }: Facts): CloseComparison[] {
  const nameOf = ({ witness, account }: Pick<CloseComparison, "witness" | "account">) => `${witness} ${account}`;
  const earlier = new Map((previous?.document.comparisons ?? []).map((row) => [nameOf(row), row]));
  const today = new Map(compared.map((row) => [nameOf(row), row]));
  return [...new Set([...earlier.keys(), ...today.keys()])].toSorted(byName).map((name) => {
    const [witness = "", account = ""] = name.split(" ");
    const row = today.get(name);
    const [witnessed, booked] = [row?.witnessed ?? 0n, row?.booked ?? 0n];
    const difference = BigInt(earlier.get(name)?.difference ?? 0) + witnessed - booked;
    const items = sumItems(open, { witness, account });
    if (items !== difference) throw new Error(`The items of ${name} come to ${items}, the difference is ${difference}`);
    const currency = row?.currency ?? earlier.get(name)?.currency ?? "";
    return {
      witness,
      account,
      currency,
      witnessed: String(witnessed),
      booked: String(booked),
      difference: String(difference),
    };
  });
}

/** The document of a close. Pure. @throws Error where items do not come to a difference */
export function buildCloseDocument(facts: Facts): CloseDocument {
  const { day, timeZone, previous, root, postings, lines, open, resolved, closedAt } = facts;
  return {
    format: "cardkeep-close-1",
    day,
    timeZone,
    previousDigest: previous?.digest ?? null,
    root,
    postings,
    lines,
    accounts: buildAccounts(facts),
    comparisons: buildComparisons(facts),
    items: open.map(({ amount, firstDay, id, witness, account, currency, reference, cause, owner }) => ({
      id,
      witness,
      account,
      currency,
      reference,
      amount: String(amount),
      cause,
      owner,
      firstDay,
      ageDays: daysBetween(firstDay, day),
    })),
    resolved: resolved.map(({ id }) => id),
    closedAt: closedAt.toISOString(),
  };
}
