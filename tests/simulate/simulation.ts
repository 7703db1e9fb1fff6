/** Plays a plan: people are born, days pass with faults, and in the end everything is settled and compared. */
import { tokens } from "@cardkeep/chain/tokens";
import type { Counts } from "../lives/cardEvents.ts";
import { Person } from "../support/person.ts";
import { registerPartner } from "../support/webhooks.ts";
import { euro, give } from "../support/spending.ts";
import { createFaults, type Faults } from "./faults.ts";
import { say } from "./oracles/names.ts";
import { always, atEnd, findBroken, type Oracle } from "./oracles/oracles.ts";
import { findUnnoticed } from "./oracles/spoilEach.ts";
import { spoils } from "./oracles/spoils.ts";
import { lookingTasks } from "./jobs.ts";
import type { Plan } from "./options.ts";
import { beginLife, type Inhabitant, partnerName, playAct } from "./people.ts";
import type { Trace } from "./trace.ts";
import { buildWorld, type World } from "./world.ts";

export interface Ended {
  readonly digest: string;
  readonly steps: number;
  readonly broken: readonly string[];
  readonly acts: readonly number[];
  readonly faults: readonly number[];
  readonly counts: Counts;
  readonly callbacks: number;
}

const [hourMs, dayHours] = [3_600_000, 24];
/** What one person does at once. */
const hands = ["card", "phone"];
const debtHoursMax = 72;

export async function simulate(
  plan: Plan,
  {
    trace,
    isSpoiled,
    ...native
  }: { trace: Trace; isSpoiled: boolean; fetchReally: typeof fetch; hasNativeWork(): boolean },
): Promise<Ended> {
  const faults = createFaults(plan, (text) => trace.tell("world", text));
  const isEnough = () => plan.until !== null && trace.steps >= plan.until;
  let built: World | null = null;
  const onStep = () => {
    if (built !== null && (isEnough() || built.broken.size > 0)) throw new Error("Enough was played");
  };
  const world = await buildWorld({
    ...native,
    seed: plan.seed,
    schedule: plan.schedule,
    isAtMidnight: plan.isAtMidnight,
    servers: 3,
    workers: 2,
    trace,
    faults,
    onStep,
  });
  built = world;
  const run = { world, plan, trace, faults, counts: new Map() as Counts, acts: [] as number[], number: 0 };
  const broken = new Set<string>();
  const check = async (list: Promise<string[]>) => (await list).forEach((each) => broken.add(each));
  try {
    await world.one("partner", async () => void (await registerPartner(new Person(world), partnerName)));
    const people = await bear(run);
    const { settlementAddress } = world.runtime.settings.policy;
    await world.one("funds", () => give(people[0].lives[0].holder.person, settlementAddress, 1_000n * euro));
    const arrived = await world.one("arrived", () =>
      world.runtime.chain.getTokenBalance(tokens.EURe.address, settlementAddress),
    );
    for (let day = 0; day < plan.days && broken.size === 0; day++) {
      for (let round = 0; round < plan.rounds && broken.size === 0; round++) {
        await playRound(run, people);
        await check(findBroken(always, { world, people, arrived }));
        if (!plan.isBrief) await world.leap((dayHours / plan.rounds) * hourMs);
      }
    }
    if (broken.size === 0 && !plan.isBrief) {
      await settle(run, people);
      await check(findBroken(always, { world, people, arrived }));
      await world.one("signs in", async () => {
        for (const person of people) await signIn(person);
      });
      await check(world.one("comparison", () => findBroken(atEnd, { world, people, arrived })));
      if (isSpoiled && broken.size === 0) {
        built = null;
        // Some oracles look at honest people alone, and a seed may have none.
        const reign = { world, people: people.map((person) => ({ ...person, isHostile: false })), arrived };
        const ask = (oracle: Oracle) =>
          world.one("oracle", async () => {
            // Some invariants are broken by hours that pass.
            for (const person of reign.people) await signIn(person);
            return oracle(reign);
          });
        const note = (text: string) => trace.tell("world", text);
        await check(findUnnoticed({ oracles: { ...always, ...atEnd }, spoils, ask, note }, reign));
        world.broken.clear();
      }
    }
  } catch (error) {
    if (!isEnough() && world.broken.size === 0) broken.add(error instanceof Error ? error.message : String(error));
  }
  world.broken.forEach((each) => broken.add(each));
  const { digest, steps } = { steps: trace.steps, digest: trace.end() };
  await world.stop();
  return {
    digest,
    steps,
    broken: [...broken],
    acts: run.acts,
    faults: faults.happened,
    counts: run.counts,
    callbacks: world.callbacks,
  };
}

interface Run {
  readonly world: World;
  readonly plan: Plan;
  readonly trace: Trace;
  readonly faults: Faults;
  readonly counts: Counts;
  /** The numbers of the acts that were played. */
  readonly acts: number[];
  number: number;
}

async function bear({ world, plan }: Run): Promise<[Inhabitant, ...Inhabitant[]]> {
  const people: Inhabitant[] = [];
  const births = Array.from({ length: plan.people }, (_, index) =>
    world.begin(`person-${index + 1}`, async () => void people.push(await beginLife(world, plan.seed, index + 1))),
  );
  await world.play(() => births.every(({ isOver }) => isOver), "births");
  for (const { error } of births) if (error !== null) throw error;
  const [first, ...others] = people.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (!first) throw new Error("A world without people");
  return [first, ...others];
}

/** All people act at once, under faults; then the faults end, and the service comes to rest. */
async function playRound(run: Run, people: readonly Inhabitant[]): Promise<void> {
  const { world, plan, faults, trace } = run;
  const kept = plan.keptActs && new Set(plan.keptActs);
  const planned = people.map((person) => ({
    person,
    numbers: Array.from({ length: plan.acts }, () => ++run.number).filter((number) => kept?.has(number) !== false),
  }));
  await world.one("signs in", async () => {
    for (const { person } of planned) await signIn(person);
  });
  // What people got so far stays.
  await world.keep(async () => {}, "fixed");
  faults.isOn = faults.isChainOn = true;
  const lives = planned.flatMap(({ person, numbers }) =>
    hands.map((hand) =>
      world.begin(`${person.name} ${hand}`, async () => {
        for (const number of numbers.filter((each) => each % hands.length === hands.indexOf(hand))) {
          run.acts.push(number);
          const did = await playAct(world, person, { seed: plan.seed, number, counts: run.counts }).catch(
            (error: unknown) => `fails: ${String(error)}`,
          );
          trace.tell(person.name, `act ${number}: ${did}`);
        }
      }),
    ),
  );
  await world.play(() => lives.every(({ isOver }) => isOver), "acts");
  for (const { error } of lives) if (error !== null) throw error;
  faults.isOn = false;
  await world.rest(() => listOpen(world), "the service after the acts");
  faults.isChainOn = false;
  await world.rest(() => listOpen(world), "the service after the chain's faults");
}

/** Signs in, where an access token of an earlier hour has expired; again where the server dies meanwhile. */
async function signIn({ lives: [{ holder }] }: Inhabitant): Promise<void> {
  for (;;) {
    const isDone = await holder.person.signIn().then(
      () => true,
      () => false,
    );
    if (isDone) return;
  }
}

/** What the service still has to do: jobs that are due but for those that look again and again, transfers of card money, operations. */
async function listOpen({ database: { ask } }: World): Promise<string[]> {
  const rows = await ask<{ what: string }[]>`
    select 'transfer ' || id || ' is ' || status as what from card_transfers where status in ('PLANNED', 'SIGNED')
    union all
    select key || ' is a job of ' || to_char(run_at, 'HH24:MI:SS') || ', tried ' || attempts || ' times' from graphile_worker.jobs
      where task_identifier <> all(${lookingTasks}) and task_identifier <> 'card.collect'
        and (locked_at is not null or run_at <= (select at from simulation.world_time) + interval '2 minutes')
    union all
    select 'queue ' || queue_name || ' stands still' from graphile_worker._private_job_queues q
      where locked_at is not null and not exists (
        select from graphile_worker._private_jobs j where j.job_queue_id = q.id and j.locked_at is not null)
    union all
    select 'operation ' || id || ' is ' || status from delay_transactions where status in ('QUEUING', 'WAITING', 'EXECUTING')
    order by 1 limit 5`;
  return rows.map(({ what }) => what);
}

/** A day passes, in which the service finds what no callback reported; then people pay what they owe. */
async function settle({ world }: Run, people: readonly Inhabitant[]): Promise<void> {
  const rest = () => world.rest(() => listOpen(world), "the service in the end");
  await world.leap(25 * hourMs);
  await rest();
  await world.leap(hourMs);
  await rest();
  for (let hours = 0; ; hours++) {
    const debts = await world.database.ask<{ safe: string; owed: string }[]>`
      select s.address as safe, sum(p.owed)::text as owed from card_payments p join safes s on s.id = p.safe_id
      group by s.address having sum(p.owed) > 0 order by 1`;
    if (hours > 0 && debts.length === 0) return;
    if (hours === debtHoursMax)
      throw new Error(say("paydays", `${debts.length} people owe after ${hours} hours with money`));
    await world.one(`payday ${hours}`, async () => {
      for (const person of hours === 0 ? people : []) {
        const [{ holder }] = person.lives;
        const amount = BigInt(debts.find(({ safe }) => safe === holder.safe)?.owed ?? 0) + 60n * euro;
        await signIn(person);
        await give(holder.person, holder.safe, amount);
        person.given += amount;
      }
    });
    await world.leap(hourMs);
    await rest();
  }
}
