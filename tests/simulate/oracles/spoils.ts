/** Breaks each invariant of a world by hand, past the program: an oracle that says nothing then is none. */
import { tokens } from "@cardkeep/chain/tokens";
import { sql } from "drizzle-orm";
import { cent, give } from "../../support/spending.ts";
import { sleepVirtually } from "../virtualTime.ts";
import type { World } from "../world.ts";
import type { OracleName } from "./names.ts";
import type { Reign } from "./oracles.ts";

export type Spoil = (given: Reign) => Promise<void>;

/** Each oracle once, and with words in brackets each further thing that an oracle looks at. A debt that nothing collects on paydays is not made by hand. */
type Spoils = Record<Exclude<OracleName, "paydays">, Spoil> & Readonly<Record<`${OracleName} (${string})`, Spoil>>;

/** A statement, past triggers and foreign keys. */
const write =
  (text: string): Spoil =>
  async ({ world: { database } }) => {
    await database.ask.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx.unsafe(text);
    });
  };

const wait = (world: World, seconds: number): Promise<void> =>
  world.one("waits", () => sleepVirtually(seconds * 1_000));

const violate = write(`insert into account_violations
    (id, safe_id, queue_nonce, status, reason, hash, block_number, seen_at, updated_at)
  select 'spoiled-' || id, id, 0, 'QUEUED', 'spoiled', '0x', 0, now(), now() from safes on conflict do nothing`);

async function failJob({ world }: Reign): Promise<void> {
  await world.database.ask`
    select graphile_worker.add_job('relay.confirm', '{}'::json, job_key := 'relay.confirm:spoiled', run_at := simulation.now())`;
  await wait(world, 5);
}

/** A row of a payment, before a commit after which payments are looked at. */
const spoilPayment =
  (text: string): Spoil =>
  async (given) => {
    await write(text)(given);
    await touch(given);
  };

async function touch({ world }: Reign): Promise<void> {
  await world.one(
    "touches",
    async () => void (await world.runtime.db.execute(sql`update card_payments set version = version`)),
  );
  await wait(world, 1);
}

/** A collection of more than the account has. */
async function promiseMuch(given: Reign): Promise<void> {
  const {
    world,
    people: [one],
  } = given;
  if (!one) return;
  // Before it is there: the service could find it without a job meanwhile, carry it out and end it.
  await wait(world, 6);
  await write(`insert into card_transfers
    select (jsonb_populate_record(t, jsonb_build_object('id', t.payment_id || ':100', 'ordinal', 100, 'amount', 10::numeric ^ 30,
      'is_collection', true, 'status', 'PLANNED', 'message_hash', '0x' || repeat('ab', 32)))).* from card_transfers t where direction = 'spend' limit 1`)(
    given,
  );
  await write(`insert into live_transfers (id, payment_id, ordinal, user_id, safe_id, direction, amount, is_collection, message_hash, status,
      request_id, created_at)
    select id, payment_id, ordinal, user_id, safe_id, direction, amount, true, message_hash, status, request_id, created_at
    from card_transfers where ordinal = 100`)(given);
  await world.one("commits", () =>
    world.runtime.db.transaction(async (tx) => {
      await tx.execute(sql`insert into card_transfers select * from card_transfers where false`);
    }),
  );
  await wait(world, 1);
}

/** A transaction at the first nonce of its lane. */
async function signOld(given: Reign): Promise<void> {
  const { world } = given;
  await wait(world, 60);
  await write(`insert into open_relays (relay_transaction_id, relayer, nonce, purpose, subject_id, status, request_id)
    select 'spoiled', address, 0, 'card.spend', 'spoiled', 'SIGNED', 'spoiled' from relayers where next_nonce > 0 limit 1`)(
    given,
  );
  await world.one("signs", () =>
    world.runtime.db.transaction(async (tx) => {
      await tx.execute(sql`insert into relay_transactions select * from relay_transactions where false`);
    }),
  );
  await wait(world, 1);
}

/** A statement, before a commit after which the service's transactions are looked at. */
const spoilRelay =
  (spoil: Spoil): Spoil =>
  async (given) => {
    const { world } = given;
    await spoil(given);
    await world.one("settles", () =>
      world.runtime.db.transaction(async (tx) => {
        await tx.execute(sql`update relay_transactions set nonce = nonce where false`);
      }),
    );
    await wait(world, 1);
  };

/** The last state is written again, with the triggers. */
const settleAgain: Spoil = async ({ world }) =>
  void (await world.database.ask`
    update relay_transactions set status = status where id = (select max(id) from relay_transactions where status = 'MINED')`);

/** An approval while an entry waits in the queue on chain. */
async function approveBesideEntry(given: Reign): Promise<void> {
  const {
    world,
    people: [one],
  } = given;
  if (!one) return;
  const { holder } = one.lives[0];
  await world.one("withdraws", async () => {
    const transfer = { tokenAddress: tokens.EURe.address, to: `0x${"be".repeat(20)}`, amount: String(cent) } as const;
    const answer = await holder.person.call("POST", "/accounts/withdraw", await holder.person.signWithdrawal(transfer));
    if (answer.status !== 200) throw new Error(`The withdrawal was refused: ${JSON.stringify(answer.body)}`);
  });
  await wait(world, 30);
  await write(`insert into card_decisions
    select (jsonb_populate_record(d, jsonb_build_object('ordinal', 101, 'created_at', simulation.now()))).* from card_decisions d
    join card_payments p on p.id = d.payment_id join safes s on s.id = p.safe_id
    where s.address = '${holder.safe}' and d.is_approved and not d.is_by_issuer and d.approved_cents > 0 order by d.payment_id limit 1`)(
    given,
  );
  await world.one("commits", () =>
    world.runtime.db.transaction(async (tx) => {
      await tx.execute(sql`insert into card_decisions select * from card_decisions where false`);
    }),
  );
  await wait(world, 1);
}

/** The queue takes no job, and is not asked again. */
async function loseJob({ world }: Reign): Promise<void> {
  await world.one("gives a job", () =>
    world.runtime.db.transaction(async (tx) => {
      await tx.execute(sql`select 1 as given, count(*)::int as added
        from graphile_worker.add_jobs(array[]::graphile_worker.job_spec[])`);
    }),
  );
}

/** A queue without a job, which no chore frees yet. */
async function holdQueue({ world }: Reign): Promise<void> {
  const { ask } = world.database;
  await ask`insert into graphile_worker._private_job_queues (queue_name, locked_by, locked_at)
    values ('spoiled', 'spoiled', simulation.now() + interval '1 hour')`;
  await wait(world, 40);
  await ask`delete from graphile_worker._private_job_queues where queue_name = 'spoiled'`;
}

/** Two transactions that take two locks the other way round. */
async function deadlock({ world }: Reign): Promise<void> {
  const lockBoth = (first: number, second: number) =>
    world.runtime.db.transaction(async (tx) => {
      for (const key of [first, second]) {
        await tx.execute(sql`select pg_advisory_xact_lock(${key}::bigint)`);
        await sleepVirtually(100);
      }
    });
  const actors = [world.begin("locks", () => lockBoth(1, 2)), world.begin("locks too", () => lockBoth(2, 1))];
  await world.play(() => actors.every(({ isOver }) => isOver), "deadlock");
}

/** A table is away while somebody asks for it. */
async function fail({ world, people }: Reign): Promise<void> {
  const rename = (from: string, to: string) => world.database.ask.unsafe(`alter table ${from} rename to ${to}`);
  await rename("orders", "spoiled");
  await world.one("asks", async () => void (await people[0]?.lives[0].holder.person.call("GET", "/order/")));
  await rename("spoiled", "orders");
}

/** In this order: what later ones break shows in no earlier one. */
export const spoils: Spoils = {
  // First: who owes, or whose account is short, gets no withdrawal.
  "approvals (an entry waits on chain)": approveBesideEntry,
  "lost jobs (the queue did not take a job)": loseJob,
  rest: ({ world }) => world.rest(async () => ["something"], "what never ends"),
  answers: fail,
  deadlocks: deadlock,
  "failed jobs": failJob,
  "jobs given up":
    write(`select graphile_worker.add_job('books.announce', '{}'::json, job_key := 'spoiled', run_at := now() + interval '9 days');
    update graphile_worker._private_jobs set attempts = max_attempts where key = 'spoiled'`),
  withdrawals: async ({ people }) => void people[0]?.withdrawals.push("spoiled"),
  comparison: async ({ world, people: [one] }) => {
    if (!one) return;
    const { holder } = one.lives[0];
    await world.one("gives", () => give(holder.person, holder.safe, cent));
  },
  postings: write(`update book_lines set amount = amount + 1
    where (posting_id, ordinal) in (select posting_id, ordinal from book_lines order by posting_id, ordinal limit 1)`),
  "ledger and books":
    write(`insert into book_items (id, witness, account, currency, reference, amount, cause, owner, first_day)
    values ('spoiled', 'ledger', 'spoiled', 'EUR', 'spoiled', 1, 'spoiled', 'spoiled', '2031-01-01')`),
  "stuck transfers": write(`update card_transfers set status = 'SIGNED'
    where id = (select max(id) from card_transfers where status = 'DONE')`),
  "doubled transactions": write(`insert into relay_transactions
    select (jsonb_populate_record(r, '{"id": "spoiled", "nonce": 1000000, "mined_hash": null}')).* from relay_transactions r
    where r.purpose = 'safe.deploy' and r.status = 'MINED' limit 1`),
  "doubled transactions (was settled twice)": spoilRelay(settleAgain),
  "doubled transactions (is on its way, and it is)": spoilRelay(
    write(`insert into open_relays (relay_transaction_id, relayer, nonce, purpose, subject_id, status, request_id)
    select 'spoiled beside', (select min(address) from relayers), 1000001, 'card.spend', max(id), 'SIGNED', 'spoiled'
    from card_transfers where status = 'DONE'`),
  ),
  "doubled transactions (was signed again after)": spoilRelay(
    write(`insert into relay_attempts
    select (jsonb_populate_record(a, jsonb_build_object('hash', '0x' || repeat('ab', 32)))).* from relay_attempts a
    where a.refusal is null and not a.is_cancellation order by a.hash limit 1`),
  ),
  sequences: write(`delete from deliveries where sequence = 1`),
  "foreign nonces": write(`update relayers set foreign_count = 1000 where next_nonce > 0`),
  blocks: write(`update relay_transactions set block_hash = '0x00' where id = (
    select min(id) from relay_transactions where status = 'MINED')`),
  chain: async ({ people: [one] }) => {
    // Another amount than the one that was given by hand before.
    if (one) one.given += 5n * cent;
  },
  clearings: spoilPayment(`update card_clearings set amount_cents = amount_cents + 1
    where id = (select max(id) from card_clearings where kind = 'capture')`),
  targets: spoilPayment(`update card_payments set target = target + 1 where id = (select max(id) from card_payments)`),
  holds: spoilPayment(
    `update ledger_entries set held = held + 1, safe = safe - 1 where id = (select max(id) from ledger_entries)`,
  ),
  transfers: spoilPayment(`update card_transfers set amount = amount + 1
    where id = (select max(id) from card_transfers where status = 'DONE')`),
  debts: spoilPayment(`update card_payments set owed = owed + 1 where id = (select max(id) from card_payments)`),
  authorized: spoilPayment(`
    create temp table spoiled on commit drop as select d.payment_id as id, p.thread_id as thread from card_decisions d
      join card_payments p on p.id = d.payment_id join sandbox.issuer_objects o on o.id = p.thread_id
      where d.is_approved and not d.is_by_issuer and d.approved_cents > 0 order by 1 limit 1;
    update sandbox.issuer_objects set data = data || '{"status": "pending", "request_history": []}' where id in (select thread from spoiled);
    update card_payments set status = 'AUTHORIZED', authorized_cents = 0 where id in (select id from spoiled);
    update card_decisions set created_at = now() where payment_id in (select id from spoiled) and is_approved`),
  approvals: promiseMuch,
  nonces: signOld,
  "missing cases": write(`update card_payments set captured_cents = 10000000000 where id = (
    select max(id) from card_payments p where not exists (select from card_cases c where c.payment_id = p.id))`),
  promises:
    write(`update card_payments p set owed = 1, excess_cents = 0, reversed_cents = 0, captured_cents = authorized_cents,
      status = 'CLEARED'
    where exists (select from card_decisions d where d.payment_id = p.id and d.is_approved and not d.is_by_issuer)`),
  "ledger debts": write(`update card_payments set owed = owed + 1 where id = (select max(id) from card_payments)`),
  losses: write(`insert into ledger_entries
    select (jsonb_populate_record(e, jsonb_build_object('id', 'spoiled-' || n, 'ordinal', 1000 + n, 'safe', 0, 'held', 0,
      'settlement', 0, 'written_off', 0, 'owed', 10::numeric ^ 30, 'advanced', -(10::numeric ^ 30),
      'created_at', d.at + n * interval '1 minute'))).*
    from (select payment_id, min(created_at) as at from card_decisions where is_approved group by payment_id limit 1) d
    join ledger_entries e on e.id = (select min(id) from ledger_entries l where l.payment_id = d.payment_id)
    cross join (values (-1), (1)) as of(n)`),
  gas: write(`insert into reverted_gas (relay_transaction_id, subject_id, safe_id, user_id, cost, created_at)
    select 'spoiled-' || u.id || n, 'spoiled', 'spoiled', u.id, 10::numeric ^ 20, now() from users u, generate_series(1, 200) n`),
  "ledger sums": write(`do $$ declare found record; begin
    for found in select conname from pg_constraint where conrelid = 'ledger_entries'::regclass and contype = 'c' loop
      execute format('alter table ledger_entries drop constraint %I', found.conname);
    end loop; end $$;
    update ledger_entries set safe = safe + 1 where id = (select max(id) from ledger_entries)`),
  // The service compares people with the issuer now and then, and would mend it while the oracle waits for what is under way.
  statuses: write(`update graphile_worker._private_jobs set run_at = now() + interval '1 hour' where locked_at is null;
    update sandbox.issuer_objects set data = jsonb_set(data, '{status}',
      case when data ->> 'status' = 'active' then '"inactive"' else '"active"' end::jsonb)
    where object = 'issuing.cardholder'`),
  "honest marked": violate,
  "lost jobs": async (given) => {
    await violate(given);
    await given.world.database.ask`delete from graphile_worker._private_jobs where key like 'safe.violations:%'`;
    await wait(given.world, 30);
  },
  "rest (stood still)": holdQueue,
  "blocks (another one was seen)": spoilRelay(
    write(`insert into chain_blocks (block_number, block_hash, is_followed)
    select block_number, '0x00', false from relay_transactions where status = 'MINED' order by block_number desc limit 1
    on conflict (block_number) do update set block_hash = excluded.block_hash`),
  ),
};
