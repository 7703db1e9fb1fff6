/** Lets everything settle that has happened to cards, also what no callback reported, and has all debts paid. */
import { createContext } from "@cardkeep/domain/core/context";
import { addMissingJobs } from "@cardkeep/domain/operations/housekeeping/recoverJobs";
import { sql } from "drizzle-orm";
import { until } from "../support/poll.ts";
import type { Service } from "../support/service.ts";
import { euro, give, untilSettled } from "../support/spending.ts";
import { advance, type Owner, writeOffSome } from "./ownerEvents.ts";
import { createRandom, type Random } from "./random.ts";

/** An authorization without news is checked after a day. */
const daySeconds = 90_000;
const patienceMs = 180_000;
const hoursMax = 72;

/** Returns once no transfer is open, nothing is owed, and each Safe has some money again. */
export async function settleEverything(service: Service, owners: readonly Owner[], random: Random): Promise<void> {
  await untilSettled(service, patienceMs);
  await compareWithIssuer(service);
  await Promise.all(owners.map(({ lives: [{ holder }] }) => holder.person.signIn()));
  await untilDisputed(service);
  await untilSettled(service, patienceMs);
  await Promise.all(
    owners.flatMap((owner) => [writeOffSome(service, owner, createRandom(random(2 ** 31))), payDebts(service, owner)]),
  );
  await untilPaid(service);
}

/**
 * Collects debts hour by hour. A Safe that has spent its daily limit pays again from midnight UTC, so a debt may need a
 * whole day; and one after failed collections as long again.
 */
async function untilPaid(service: Service): Promise<void> {
  for (let hours = 0; ; hours++) {
    await untilSettled(service, patienceMs);
    const [row] = await service.runtime.db.execute<{ owed: string }>(
      sql`select coalesce(sum(owed), 0) as owed from card_payments`,
    );
    if (BigInt(row?.owed ?? 0) === 0n) return;
    if (hours === hoursMax) throw new Error(`${row?.owed} base units are owed after ${hours} hours with money`);
    await advance(service, 3_600);
  }
}

/** A day passes. The hourly comparison finds lost uses and clearings, and the daily check all other lost callbacks. */
async function compareWithIssuer(service: Service): Promise<void> {
  const { db, services, log } = service.runtime;
  const nextAt = async () => {
    const [job] = await db.execute<{ at: string }>(
      sql`select max(run_at)::text as at from graphile_worker.jobs where task_identifier = 'card.compare'`,
    );
    return job?.at ?? null;
  };
  const before = await nextAt();
  await advance(service, daySeconds);
  await until(async () => ![before, null].includes(await nextAt()), { timeoutMs: patienceMs });
  await addMissingJobs(createContext(services, { log, requestId: "lives" }));
}

/** Waits until no job of a dispute is due. */
const untilDisputed = ({ runtime: { db } }: Service): Promise<void> =>
  until(
    async () => {
      const [row] = await db.execute<{ open: number }>(sql`
        select count(*)::int as open from graphile_worker.jobs where task_identifier = 'card.dispute' and run_at <= now()`);
      return row?.open === 0;
    },
    { timeoutMs: patienceMs },
  );

const reserve = 60n * euro;

/** The person pays what it owes, and something on top. */
async function payDebts({ runtime: { db } }: Service, owner: Owner): Promise<void> {
  const { person, safe } = owner.lives[0].holder;
  const [row] = await db.execute<{ owed: string }>(sql`
    select coalesce(sum(p.owed), 0) as owed from card_payments p join safes s on s.id = p.safe_id where s.address = ${safe}`);
  const amount = BigInt(row?.owed ?? 0) + reserve;
  await give(person, safe, amount);
  owner.given += amount;
}
