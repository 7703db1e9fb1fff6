/** `books.close`: a day of 100,000 postings closes, beside few and beside ten million older lines. */
import { createContext } from "@cardkeep/domain/core/context";
import { closeOne } from "@cardkeep/domain/books/closes/closeDay";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import postgres from "postgres";
import { startService } from "../support/service.ts";
import { fillBooks } from "./fill.ts";
import { type Benchmark, compareGrowth } from "./measure.ts";
import { usePostgres } from "./world.ts";

const wholeDay = 100_000;
const linesOfPosting = 3;
const wholeOlder = 10_000_000;
/** Older postings are written in parts, so that a part fits into memory. */
const partPostings = 250_000;
const secondsMax = 60;
const ratioMax = 1.1;
const years = "2015-01-01";
const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"] as const;

/** Writes postings of three lines with their witness; `day` is SQL. Triggers and references are off. */
const write = async (client: postgres.Sql, first: number, count: number, day: string): Promise<void> => {
  await client.unsafe(`
    with n as (select n, ${day} as day from generate_series(${first}::bigint, ${first + count - 1}::bigint) n),
    posted as (insert into book_postings (id, type, external_id, cause, effective_on, period, booked_at)
      overriding system value select n, 'spend', 'old-' || n, 'old-' || n, day, day, day from n),
    seen as (insert into book_witness_entries
        (witness, reference, ordinal, account, currency, amount, kind, effective_on, period, at, created_at)
      select 'chain', '0x' || lpad(to_hex(n), 64, '0'), 0, 'settlement:EUR', 'EUR', 2 * n, 'transfer', day, day, day, day from n)
    insert into book_lines (posting_id, ordinal, account, currency, amount, reference, period)
    select n, side, (array['settlement', 'holds', 'safes'])[side + 1] || ':EUR', 'EUR',
      case side when 0 then 2 * n else -n end,
      case side when 0 then '0x' || lpad(to_hex(n), 64, '0') end, day
    from n, generate_series(0, ${linesOfPosting - 1}) side`);
};

/** The entries of card money that the postings of a day are of. */
const writeLedger = async (client: postgres.Sql, first: number, count: number, day: string): Promise<void> => {
  await client.unsafe(`
    insert into ledger_entries (id, payment_id, ordinal, user_id, safe_id, settlement, held, safe, created_at)
    select 'old-' || n, 'old-' || n, 0, 'old', 'old', 2 * n, -n, -n, ${day} from generate_series(${first}::bigint, ${first + count - 1}::bigint) n`);
};

const addressOf = (digit: string): string => `0x${digit.repeat(40)}`;

export const booksClose: Benchmark = {
  names: ["books.close"],
  isByNameOnly: true,
  measure: async ({ printProgress, note, options: { share } }) => {
    const dayPostings = Math.ceil(wholeDay * share);
    const olderLines = Math.ceil(wholeOlder * share);
    await usePostgres();
    const service = await startService({ worker: false });
    const runtime = await createRuntime(readSettings(service.env), "worker");
    const client = postgres(service.ownerUrl, {
      max: 1,
      onnotice: () => {},
      connection: { session_replication_role: "replica", statement_timeout: 0 },
    });
    try {
      await client`insert into book_accounts (id, kind, currency, owner, created_at)
        select kind || ':EUR', kind, 'EUR', 'operator', now() from unnest(array['settlement', 'holds', 'safes']) kind`;
      await client`insert into safes (id, user_id, salt_nonce, address, delay_address, roles_address, bouncer_address, first_owner,
          set_up_by, creator, spender, token_symbol, daily_limit, cooldown_seconds, expiration_seconds, status, request_id, created_at, updated_at)
        values ('old', 'old', 1, ${addressOf("b")}, ${addressOf("c")}, ${addressOf("d")}, ${addressOf("e")}, ${addressOf("a")},
          'operator', ${addressOf("f")}, ${addressOf("1")}, 'EURe', 1000, 180, 1800, 'ok', 'old', now(), now())`;
      let next = 1;
      const fillDay = async (day: string) => {
        await write(client, next, dayPostings, `'${day}'::date`);
        await writeLedger(client, next, dayPostings, `'${day}'::date`);
        next += dayPostings;
      };
      for (const day of days.slice(0, 2)) await fillDay(day);
      const ctx = createContext(runtime.services, { log: runtime.log, requestId: "bench" });
      const close = async (day: string): Promise<number> => {
        await client`analyze`;
        const startedAt = performance.now();
        await closeOne(ctx, day, () => false);
        return (performance.now() - startedAt) / 1000;
      };
      printProgress(`books.close: ${dayPostings} postings`);
      const small = [await close(days[0]), await close(days[1])];
      await fillBooks(service.ownerUrl, async () => {
        for (let written = 0; written < olderLines; written += partPostings * linesOfPosting) {
          printProgress(`books.close: ${written} older lines`);
          const count = Math.min(partPostings, Math.ceil((olderLines - written) / linesOfPosting));
          await write(client, next, count, `'${years}'::date + (n % 4000)::int`);
          next += count;
        }
      });
      printProgress(`books.close: ${olderLines} older lines are there`);
      for (const day of days.slice(2)) await fillDay(day);
      const large = [await close(days[2]), await close(days[3])];
      const [items] = await client<{ count: string }[]>`select count(*) from book_items`;
      // Items are of differences, and a close that finds some measures their writing.
      if (items?.count !== "0") throw new Error(`The closes have ${items?.count} items, and should have none`);
      const [value, baseline] = [Math.min(...large), Math.min(...small)];
      note(
        `books.close: ${small.map((each) => each.toFixed(1)).join(", ")} s beside few lines, ${large.map((each) => each.toFixed(1)).join(", ")} s beside ${olderLines}`,
      );
      return [
        compareGrowth({ name: "books.close", unit: "s", value, baseline, share, ratioMax, valueMax: secondsMax }),
      ];
    } finally {
      await client.end();
      await runtime.close();
      await service.stop();
    }
  },
};
