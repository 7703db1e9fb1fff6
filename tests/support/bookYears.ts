/** Generated days of a programme: postings by the product's own rules, and witnesses that are late, doubled or silent. */
import type { PostingWithLines } from "@cardkeep/db/queries/books/postings";
import { buildCloseDocument, type CloseDocument } from "@cardkeep/domain/books/closes/closeDocument";
import { formatLeaf } from "@cardkeep/domain/books/closes/leaf";
import { addLeaves, digestOf, emptyFrontier, rootOf } from "@cardkeep/domain/books/closes/merkle";
import { type Item, type Net, carryOver } from "@cardkeep/domain/books/closes/carryOver";
import { type Posting, postClearing, postEntry, postOrder } from "@cardkeep/domain/books/postings/rules";

/** A repeatable source of numbers below a bound. */
export function createRandom(seed: number): (bound: number) => number {
  let state = seed >>> 0 || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

export interface ClosedDay {
  readonly close: string;
  readonly postings: string;
  readonly document: CloseDocument;
  readonly leaves: readonly string[];
}

const cent = 10n ** 16n;
const firstDayMs = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
const nameDay = (number: number): string => new Date(firstDayMs + number * dayMs).toISOString().slice(0, 10);

/** Something that the chain and the issuer see too: a spend, its clearing, or an order. */
function createEvents(random: (bound: number) => number, name: string, at: Date): (Posting | null)[] {
  const cents = BigInt(1 + random(9_999));
  const amount = cents * cent;
  const nothing = { safe: 0n, held: 0n, settlement: 0n, owed: 0n, writtenOff: 0n };
  const entry = {
    ...nothing,
    paymentId: `p${name}`,
    token: "EURe",
    transferId: `p${name}:0`,
    isByHand: random(20) === 0,
    disputeId: random(20) === 0 ? `d${name}` : null,
    hash: `0x${name}`,
    at,
  } as const;
  if (random(6) === 0) {
    const prices = { totalEurCents: 3_023n, discountEurCents: BigInt(random(2) * 1_000), totalCents: 3_023n };
    const paid = 3_023n * cent + BigInt(random(3)) * cent;
    const order = {
      id: `o${name}`,
      currency: "EUR",
      ...prices,
      paid,
      hasEnded: random(9) === 0,
      hash: `0xo${name}`,
      at,
    };
    return [postOrder(order as Parameters<typeof postOrder>[0], "19")];
  }
  const kind = random(5) === 0 ? "refund" : "capture";
  const direction = kind === "refund" ? -1n : 1n;
  return [
    postEntry({ ...entry, id: `h${name}`, safe: -amount, held: amount }),
    postEntry({ ...entry, id: `s${name}`, held: -amount * direction, settlement: amount * direction }),
    postClearing({ id: `ipi_${name}`, paymentId: `p${name}`, kind, cents, currency: "EUR", at }),
  ];
}

/** The witnessed lines of a posting, as the witness of each account records them. */
const witnessedOf = ({ lines }: { lines: Posting["lines"] }): Net[] =>
  lines.flatMap(({ account, currency, amount, reference }) => {
    const [kind = ""] = account.split(":");
    const witness = kind === "prefund" ? "issuer" : ["settlement", "treasury"].includes(kind) ? "chain" : null;
    return witness === null || reference === null ? [] : [{ witness, account, currency, reference, amount }];
  });

/** Sums of both sides of a day, and each object that differs, as the database finds them. */
function compare(seen: readonly Net[], booked: readonly Net[]) {
  const sides = new Map<string, Net & { seen: bigint; booked: bigint }>();
  for (const [side, rows] of [
    ["seen", seen],
    ["booked", booked],
  ] as const)
    for (const row of rows) {
      const name = `${row.witness} ${row.account} ${row.reference}`;
      const known = sides.get(name) ?? { ...row, seen: 0n, booked: 0n };
      sides.set(name, { ...known, [side]: known[side] + row.amount });
    }
  const groups = Map.groupBy(sides.values(), ({ witness, account }) => `${witness} ${account}`);
  const compared = [...groups.values()].flatMap((rows) => {
    const [first] = rows;
    if (!first) return [];
    const sum = (side: "seen" | "booked") => rows.reduce((total, row) => total + row[side], 0n);
    return [{ ...first, witnessed: sum("seen"), booked: sum("booked") }];
  });
  const nets = [...sides.values()]
    .map((row) => ({ ...row, amount: row.seen - row.booked }))
    .filter((row) => row.amount !== 0n);
  return { compared, nets };
}

/**
 * Closes days of generated events one after the other. Some postings and some records of witnesses are late by days, some
 * records come twice, some never, and some witnesses have money that no event explains.
 */
export function closeDays(seed: number, days: number): { closed: ClosedDay[]; open: Item[] } {
  const random = createRandom(seed);
  const due = { booked: new Map<number, Posting[]>(), seen: new Map<number, Posting[]>() };
  const add = (side: keyof typeof due, on: number, posting: Posting) =>
    due[side].set(on, [...(due[side].get(on) ?? []), posting]);
  const closed: ClosedDay[] = [];
  let open: Item[] = [];
  let previous: { digest: string; document: CloseDocument } | null = null;
  let id = 0n;
  for (let number = 0; number < days; number++) {
    const day = nameDay(number);
    const at = new Date(firstDayMs + number * dayMs + 3_600_000);
    // A missing day has no event.
    const count = random(7) === 0 ? 0 : 1 + random(4);
    for (let each = 0; each < count; each++)
      for (const posting of createEvents(random, `${number}x${each}`, at)) {
        if (posting === null) continue;
        const lateBy = () => (random(4) === 0 ? random(4) : 0);
        add("booked", number + lateBy(), posting);
        if (random(40) !== 0) add("seen", number + lateBy(), posting);
      }
    const booked = due.booked.get(number) ?? [];
    const seen = (due.seen.get(number) ?? []).flatMap((posting) => witnessedOf(posting));
    const doubled = random(10) === 0 ? seen.slice(0, 1) : [];
    const foreign: Net[] =
      random(10) === 0
        ? [{ witness: "chain", account: "settlement:EUR", currency: "EUR", reference: `0xf${number}`, amount: cent }]
        : [];
    const postings = booked.map((posting): PostingWithLines => {
      id += BigInt(1 + random(2));
      const effectiveOn = posting.at.toISOString().slice(0, 10);
      const { at: _, ...rest } = posting;
      return { ...rest, id, effectiveOn, period: day, bookedAt: at, reverses: null };
    });
    const leaves = postings.map(formatLeaf);
    const { compared, nets } = compare(
      [...seen, ...doubled, ...foreign],
      postings.flatMap((posting) => witnessedOf(posting)),
    );
    const settled = carryOver(open, nets, day);
    open = settled.open;
    const movements = new Map<string, { currency: string; amount: bigint }>();
    for (const { account, currency, amount } of postings.flatMap(({ lines }) => lines))
      movements.set(account, { currency, amount: (movements.get(account)?.amount ?? 0n) + amount });
    const document = buildCloseDocument({
      day,
      timeZone: "UTC",
      closedAt: new Date(at.getTime() + dayMs),
      root: rootOf(addLeaves(emptyFrontier, leaves)),
      postings: postings.length,
      lines: postings.reduce((sum, { lines }) => sum + lines.length, 0),
      previous,
      movements,
      compared,
      ...settled,
    });
    const close = JSON.stringify(document);
    closed.push({ close, document, leaves, postings: leaves.map((leaf) => `${leaf}\n`).join("") });
    previous = { digest: digestOf(close), document };
  }
  return { closed, open };
}
