/** `figures.count`: a day of 100,000 card payments is counted into figures, beside a million and beside ten million older payments. */
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { addMonths, listMonths, monthOf, type PartitionedTable } from "@cardkeep/db/partitions";
import { createContext } from "@cardkeep/domain/core/context";
import { countDueDays, recounting } from "@cardkeep/domain/operations/figures/countFigures";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { startService } from "../support/service.ts";
import { type Benchmark, compareGrowth, median } from "./measure.ts";
import { usePostgres } from "./world.ts";

const wholeDay = 100_000;
const wholeOlder = 10_000_000;
const people = 50_000;
/** Older payments were made within so many days. */
const olderDays = 150;
const partRows = 500_000;
const turns = 3;
/** A worker counts for so long in one run. */
const msMax = 40_000;
const ratioMax = 1.5;

const filledTables: readonly PartitionedTable[] = ["card_payments", "card_clearings"];

/** Writes payments with their captures, evenly between two instants. Every tenth was declined. Triggers and references are off. */
async function write(client: postgres.Sql, first: number, count: number, fromMs: number, toMs: number): Promise<void> {
  const numbers = `(select n, 'old-' || n % ${people} as u, ${fromMs}::bigint + (n - ${first}) * ${toMs - fromMs}::bigint / ${count} as ms
    from generate_series(${first}::bigint, ${first + count - 1}::bigint) n) numbers`;
  const id = `left(lpad(to_hex(ms), 12, '0'), 8) || '-' || right(lpad(to_hex(ms), 12, '0'), 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0')`;
  const at = "to_timestamp(ms / 1000.0)";
  await client.unsafe(`
    insert into card_payments (id, thread_id, user_id, safe_id, card_id, status, decline_result, decline_reason, authorized_cents,
      reversed_cents, captured_cents, refunded_cents, billing_currency, merchant_minor, merchant_currency, merchant_name, mcc,
      transaction_type, target, owed, set_off, excess_cents, version, request_id, created_at, cleared_at, updated_at)
    select ${id}, 'old-' || n, u, u, u, case when n % 10 = 2 then 'DECLINED' else 'CLEARED' end,
      case when n % 10 = 2 then 'Other' end, case when n % 10 = 2 then 'account_paused' end, 100, 0, 100, 0, 'EUR', 100, 'EUR',
      'Shop ' || n % 1000, '5812', '00', 1, 0, 0, 0, 1, 'old-' || n, ${at}, ${at}, ${at} from ${numbers}`);
  await client.unsafe(`
    insert into card_clearings (id, payment_id, user_id, kind, amount_cents, merchant_minor, posted_at, created_at)
    select 'ipi-' || n, ${id}, u, 'capture', 100, 100, ${at}, ${at} from ${numbers} where n % 10 <> 2`);
}

export const figuresCount: Benchmark = {
  names: ["figures.count"],
  isByNameOnly: true,
  measure: async ({ printProgress, note, options: { share } }) => {
    const [dayRows, olderRows] = [Math.ceil(wholeDay * share), Math.ceil(wholeOlder * share)];
    await usePostgres();
    const service = await startService({ worker: false });
    const runtime = await createRuntime(readSettings(service.env), "worker");
    const client = postgres(service.ownerUrl, {
      max: 1,
      onnotice: () => {},
      connection: { session_replication_role: "replica", statement_timeout: 0 },
    });
    try {
      const ctx = createContext(runtime.services, { log: runtime.log, requestId: "bench" });
      const nowMs = (await ctx.clock.now(ctx.db)).getTime();
      const todayMs = nowMs - (nowMs % dayMs);
      const yesterday = new Date(todayMs - hourMs).toISOString().slice(0, 10);
      const first = monthOf(new Date(todayMs - olderDays * dayMs));
      for (const table of filledTables) {
        const existing = new Set(await listMonths(ctx.db, table));
        for (let month = first; month <= monthOf(new Date(nowMs)); month = addMonths(month, 1))
          if (!existing.has(month)) await client`select add_month(${table}, ${month})`;
      }
      // Only today is open.
      await client`insert into day_figures (day, name, part, count, amount, counted_at)
        values (${yesterday}, 'signUps', '', 0, 0, now() + interval '1 day')`;
      const count = async (): Promise<number> => {
        await client`analyze`;
        const durations: number[] = [];
        for (let turn = 0; turn < turns; turn++) {
          const startedAt = performance.now();
          await countDueDays(ctx, { isStopped: () => false, again: { ...recounting, quietMs: 0, busyMs: 0 } });
          durations.push(performance.now() - startedAt);
        }
        return median(durations);
      };
      printProgress(`figures.count: ${dayRows} payments of a day`);
      await write(client, 1, dayRows, todayMs, nowMs);
      let next = dayRows + 1;
      /** Each part is spread over all older days, so that each card has a payment before. */
      const writeOlder = async (rows: number): Promise<void> => {
        for (let left = rows; left > 0; left -= partRows) {
          printProgress(`figures.count: ${next} payments`);
          const part = Math.min(partRows, left);
          await write(client, next, part, todayMs - olderDays * dayMs, todayMs);
          next += part;
        }
      };
      await writeOlder(Math.ceil(olderRows / 10));
      const baseline = await count();
      await writeOlder(olderRows - Math.ceil(olderRows / 10));
      const value = await count();
      const [row] = await ctx.db.execute<{ rows: string }>(sql`
        select count::text as rows from day_figures where name = 'approved' order by day desc limit 1`);
      note(`figures.count: ${row?.rows} approved payments of ${dayRows}, beside ${olderRows} older ones`);
      return [compareGrowth({ name: "figures.count", unit: "ms", value, baseline, share, ratioMax, valueMax: msMax })];
    } finally {
      await client.end();
      await runtime.close();
      await service.stop();
    }
  },
};
