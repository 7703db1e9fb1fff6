/** Migrations of a next release run beside the requests of this one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isLockTimeout } from "@cardkeep/db/errors";
import { migrate } from "@cardkeep/db/migrate";
import { type Backfill, listBackfills } from "@cardkeep/db/queries/operations/backfills";
import { runBackfills } from "@cardkeep/domain/operations/backfills/runBackfills";
import { rm } from "node:fs/promises";
import postgres from "postgres";
import { askCli } from "../support/cli.ts";
import { extendMigrations } from "../support/migrationFolder.ts";
import { nextFiles } from "../support/nextRelease.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { becomeCardHolder, type CardHolder, useOnce } from "../support/spending.ts";

const others = 2_500;

let service: Service;
let ada: CardHolder;
let owner: postgres.Sql;
const folders: string[] = [];
beforeAll(async () => {
  service = await startService();
  ada = await becomeCardHolder(service);
  owner = postgres(service.ownerUrl, { max: 4, onnotice: () => {} });
  await owner`
    insert into cards (id, user_id, safe_id, card_token, last_four_digits, virtual, status_code, activated_at, expires_at, issuer_status, issuer_synced_status, request_id, created_at, updated_at)
    select 'other-' || n, user_id, safe_id, 'other-' || n, '0000', true, status_code, activated_at, expires_at, issuer_status, issuer_synced_status, request_id, created_at, updated_at
    from cards, generate_series(1, ${others}::int) n`;
});
afterAll(async () => {
  await owner.end();
  await service.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Migrates as far as the files whose names begin so. */
const migrateTo = (...starts: string[]): Promise<void> => migrateWaiting(starts, () => {});

async function migrateWaiting(starts: readonly string[], onWait: (holder: string) => void): Promise<void> {
  const files = Object.entries(nextFiles).filter(([name]) => starts.some((start) => name.startsWith(start)));
  const set = await extendMigrations(Object.fromEntries(files));
  folders.push(set.folder);
  await migrate(service.ownerUrl, undefined, { set, onWait });
}

/** Repeats each kind of work until it is stopped, which rejects where one failed. */
function pour(...works: readonly (() => Promise<unknown>)[]) {
  let isOver = false;
  const counts = works.map(() => 0);
  const poured = Promise.all(
    works.map(async (work, index) => {
      while (!isOver) {
        await work();
        counts[index] = (counts[index] ?? 0) + 1;
      }
    }),
  );
  return {
    /** Waits until each kind was done once more from its begin to its end. */
    goesOn: async () => {
      const wanted = counts.map((count) => count + 2);
      await until(() => counts.every((count, index) => count >= (wanted[index] ?? 0)));
    },
    stop: async () => {
      isOver = true;
      await poured;
    },
  };
}

const findWaiting = (part: string) => owner<{ since: string }[]>`
  select xact_start::text as since from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query ilike ${`%${part}%`}`;

const read = async () => {
  const { status } = await ada.person.call("GET", "/cards");
  if (status !== 200) throw new Error(`GET /cards: ${status}`);
};
const pay = () => useOnce(ada, 1);
const write = () => owner`update cards set updated_at = updated_at where id = 'other-1'`;

/** A transaction that stays open until the function is called that it answers. */
async function hold(statement: (tx: postgres.TransactionSql) => Promise<unknown>): Promise<() => Promise<void>> {
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = owner.begin(async (tx) => {
    await statement(tx);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return async () => {
    release.resolve();
    await holding;
  };
}

test("a run that lost its session applies nothing more, and no file is recorded twice", async () => {
  const release = await hold((tx) => tx`select count(*) from card_payments`);
  const first = migrateTo("9000").then(
    () => "done",
    (error: Error) => error.message,
  );
  await until(async () => (await findWaiting("alter table card_payments add column")).length > 0);
  const holders: string[] = [];
  const second = migrateWaiting(["9000"], (holder) => holders.push(holder)).then(
    () => "done",
    (error: Error) => error.message,
  );
  await until(() => holders.length > 0);
  const [, pid = ""] = /^session (\d+) \(cardkeep-migrate\)$/.exec(holders[0] ?? "") ?? [];
  // Between two tries, so that no statement of it fails.
  const end = () => owner`select pg_terminate_backend(pid) from pg_stat_activity where pid = ${pid} and state = 'idle'`;
  await until(async () => (await end()).length > 0, { everyMs: 10 });
  expect(await first).toContain("CONNECTION_");
  await until(async () => (await findWaiting("alter table card_payments add column")).length > 0);
  const [beside] = await owner<{ id: number }[]>`
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('beside', 0) returning id`;
  await release();
  expect(await second).toContain("Another run applied 9000");
  expect(holders).toHaveLength(1);
  await owner`delete from drizzle.__drizzle_migrations where id = ${beside?.id ?? 0}`;
});

test("a change of tables of which a long transaction reads one waits in short tries, between which requests go on", async () => {
  // The file has the lock of cards by then.
  const release = await hold((tx) => tx`select count(*) from card_payments`);
  const load = pour(read, write, pay);
  const migrated = migrateTo("9000");
  const tries = new Set<string>();
  while (tries.size < 2) {
    const known = tries.size;
    await until(
      async () => {
        for (const { since } of await findWaiting("alter table card_payments add column")) tries.add(since);
        return tries.size > known;
      },
      { everyMs: 10 },
    );
    await load.goesOn();
  }
  await release();
  await migrated;
  await load.goesOn();
  await load.stop();
});

test("indexes, also of partitioned tables, are built beside requests, also while they wait for a long transaction", async () => {
  // As if a try was cut off before.
  await owner`create index cards_region_index on cards (region)`;
  await owner`update pg_index set indisvalid = false where indexrelid = 'cards_region_index'::regclass`;
  const release = await hold((tx) => tx`select count(*) from cards`);
  const load = pour(read, write, pay);
  const migrated = migrateTo("9000", "9001");
  await until(async () => (await findWaiting("drop index concurrently")).length > 0);
  await load.goesOn();
  await release();
  await migrated;
  await load.stop();
  await migrateTo("9000", "9001");
  // As the chore does: it waits for the service's writes for a moment only, and comes again.
  await until(() =>
    owner
      .begin(async (tx) => {
        await tx`set local lock_timeout = '100ms'`;
        await tx`select add_month('card_payments', '2031-01')`;
      })
      .then(
        () => true,
        (error: unknown) => {
          if (isLockTimeout(error)) return false;
          throw error;
        },
      ),
  );
  const rows = await owner<{ name: string; isValid: boolean }[]>`
    select indrelid::regclass::text as name, indisvalid as "isValid" from pg_index
    where indexrelid::regclass::text in ('cards_region_index', 'card_payments_region_index')
      or indexrelid in (select inhrelid from pg_inherits where inhparent = 'card_payments_region_index'::regclass)`;
  expect(rows.filter(({ isValid }) => !isValid)).toEqual([]);
  const [parts] = await owner<{ count: number }[]>`
    select count(*)::int from pg_inherits where inhparent = 'card_payments'::regclass`;
  expect(rows).toHaveLength(2 + (parts?.count ?? 0));
});

describe("a backfill", () => {
  const reason = ["--reason", "Test"] as const;
  const find = async (name: string) => {
    const [row] = (await listBackfills(service.runtime.db)).filter((each) => each.name === name);
    return row;
  };
  const run = () => runBackfills({ db: service.runtime.db, stopping: new AbortController().signal });

  test("changes every row, in batches, by the service's own role", async () => {
    await until(async () => {
      await run();
      return (await find("backfill_cards_region"))?.endedAt instanceof Date;
    });
    expect(await find("backfill_cards_region")).toMatchObject({ rows: BigInt(others) + 1n, failure: null });
    const [left] = await owner<{ count: number }[]>`select count(*)::int from cards where region is distinct from 'EU'`;
    expect(left?.count).toBe(0);
    await expect(askCli(service, "database", "pause", "backfill_cards_region", ...reason)).rejects.toThrow(
      "no such backfill",
    );
  });

  test("does nothing while it is paused, goes on when it is resumed, and keeps why a batch failed", async () => {
    await owner`create function backfill_broken(after text, size int, out last text, out rows bigint) language plpgsql as
      $$ begin raise exception 'the batch % is broken', size; end $$`;
    await owner`insert into backfills (name, is_paused, created_at, updated_at) values ('backfill_broken', true, now(), now())`;
    await run();
    expect(await find("backfill_broken")).toMatchObject({ isPaused: true, failure: null });
    await askCli(service, "database", "resume", "backfill_broken", ...reason);
    await until(async () => {
      await run().catch(() => {});
      return (await find("backfill_broken"))?.failure?.includes("the batch 1000 is broken") === true;
    });
    const inspect = async () => {
      const { checks } = await askCli<{ checks: { check: string; text: string }[] }>(service, "doctor");
      return checks.find(({ check }) => check === "backfills")?.text;
    };
    expect(await inspect()).toContain("backfill_broken fails: ");
    await askCli(service, "database", "pause", "backfill_broken", ...reason);
    expect(await askCli<Backfill[]>(service, "database", "backfills")).toMatchObject([
      { name: "backfill_cards_region", isPaused: false },
      { name: "backfill_broken", isPaused: true },
    ]);
  });
});

test("the older program serves on with the newer tables", async () => {
  await migrateTo("9");
  await read();
  await pay();
  const readiness = await (await fetch(`${service.url}/readyz`)).json();
  expect(readiness.parts.migrations).toMatchObject({ status: "degraded", reason: expect.stringContaining("newer") });
});
