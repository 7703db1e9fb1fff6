/**
 * `growth.search`: the operator's search beside a thousand and a million of people, operations, deliveries and payments.
 *
 * The verb is measured, without the page around it: rendering would hide most of a difference.
 */
import { wallClock } from "@cardkeep/runtime/clock";
import { openDatabase } from "@cardkeep/db/client";
import { sandboxOperator } from "@cardkeep/domain/core/actor";
import { search as runSearch } from "@cardkeep/domain/operations/search/search";
import { sql } from "drizzle-orm";
import { createTestDatabase } from "../support/database.ts";
import { atEnd } from "../support/ends.ts";
import { fill, nameDelivery, nameRow } from "./fill.ts";
import { compareSizes, type Load, type Size, sizes } from "./growthRounds.ts";
import type { Benchmark, Run } from "./measure.ts";
import { explainQuestions } from "./plans.ts";
import { searches } from "./searches.ts";
import { usePostgres } from "./world.ts";

/** Searches under way, as of operators who all search at once. */
const parallel = 4;
const connectionsMax = 8;

/** Filled tables, and some of their people. */
interface Place {
  readonly ctx: Parameters<typeof runSearch>[0];
  readonly people: readonly Person[];
  readonly rows: number;
}

const hex = (kind: string, n: number, length: number): string => `0x${kind}${n.toString(16).padStart(length - 1, "0")}`;

/** A person of the filled tables. */
type Person = Record<"email" | "firstName" | "lastName" | "phone" | "iban", string>;

/** The texts that operators type: about a person, or about the nth row. */
const texts: readonly ((person: Person, n: number) => string)[] = [
  ({ email }) => email,
  ({ email }) => email.slice(2, 14),
  ({ email }) => email.split("@", 2)[1] ?? "",
  ({ email }) => `${email}.unknown`,
  ({ firstName, lastName }) => `${firstName} ${lastName}`,
  ({ lastName }) => lastName.slice(0, 4),
  ({ phone }) => phone,
  ({ phone }) => phone.slice(-6),
  ({ iban }) => iban,
  ({ iban }) => iban.slice(-8),
  (_, n) => hex("a", n, 40),
  (_, n) => hex("b", n, 40),
  (_, n) => hex("3", n, 64),
  (_, n) => `old-${n}`,
  (_, n) => nameRow(n),
  (_, n) => nameDelivery(n),
  () => "shop",
  (_, n) => `Shop ${n % 1000}`,
];

export const search: Benchmark = {
  names: ["growth.search"],
  measure: async (run) => {
    await usePostgres();
    const places = { small: await openFilled(run, "small"), large: await openFilled(run, "large") };
    const { measure } = await compareSizes(run, {
      name: "growth.search",
      unit: "searches/s",
      load: (size) => load(run, places[size]),
    });
    return [measure];
  },
};

async function openFilled(run: Run, size: Size): Promise<Place> {
  const rows = sizes[size];
  run.printProgress(`growth.search: tables with ${rows} rows each`);
  const testDatabase = await createTestDatabase();
  const startedAt = performance.now();
  await fill(testDatabase.url, { users: rows, operations: rows, deliveries: rows, payments: rows, jobs: rows });
  const seconds = (performance.now() - startedAt) / 1000;
  run.note(`growth.search: ${rows} rows of each kind, filled in ${seconds.toFixed(0)} s`);
  if (size === "large")
    for (const { line } of await explainQuestions(testDatabase.url, searches, "force_custom_plan"))
      run.note(`plan: ${line}`);
  const url = testDatabase.url;
  const database = openDatabase({ url, connectionsMax, statementTimeoutMs: 60_000, applicationName: "bench" });
  atEnd(database.close);
  const people = await database.db.execute<Person>(sql`
    select email, first_name as "firstName", last_name as "lastName", phone, iban
    from users join ibans on ibans.user_id = users.id order by md5(users.id) limit 500`);
  return { ctx: { db: database.db, clock: wallClock, actor: sandboxOperator }, people, rows };
}

async function load({ options }: Run, { ctx, people, rows }: Place): Promise<Load> {
  const durations: number[] = [];
  let begun = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + options.seconds * 1000;
  const searchInTurn = async () => {
    while (performance.now() < endsAt) {
      const n = 1 + Math.floor(Math.random() * rows);
      const person = people[n % people.length];
      const text = (person && texts[begun++ % texts.length]?.(person, n)) ?? "";
      const begunAt = performance.now();
      await runSearch(ctx, { text });
      durations.push(performance.now() - begunAt);
    }
  };
  await Promise.all(Array.from({ length: parallel }, searchInTurn));
  const sorted = durations.toSorted((a, b) => a - b);
  const seconds = (performance.now() - startedAt) / 1000;
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99) };
}
