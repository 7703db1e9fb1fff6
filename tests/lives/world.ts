/** Many random lives in one world, honest and hostile, and the operator's loss in the end. */
import { tokens } from "@cardkeep/chain/tokens";
import { createRuntime } from "@cardkeep/runtime/compose";
import { startWorker } from "@cardkeep/worker/worker";
import { sql } from "drizzle-orm";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { cent, untilSettled } from "../support/spending.ts";
import { readWorkerSettings } from "../support/workerSettings.ts";
import { beginLife, type Life, runCooledDown, step } from "./life.ts";
import { findBurnedGas, findLosses } from "./lossBound.ts";
import { createRandom, type Random } from "./random.ts";
import { findWrongStatuses } from "./wrongStatuses.ts";

export interface Losses {
  lives: number;
  /** Money at the settlement account above the ledger, in base units; below 0 the ledger has invented money. */
  surplus: bigint;
  /** What merchants captured and did not refund, less what reached the settlement account, in base units. */
  lost: bigint;
  /** The recorded debts of the lives, in base units. */
  owed: bigint;
  /** The largest possible loss: captures beyond an authorization, and approvals while the relay was stopped. */
  bound: bigint;
  /** People who owe more than was captured of them without an authorization, or approved while the relay was stopped. */
  beyondBound: string[];
  /** Debts that grew by payments which were approved after their person's cards had to be inactive, in words. */
  losses: string[];
  /** People whose operations burned more of our gas than their budget allows, in words. */
  burned: string[];
  /** Orders of a Safe's money that the e-money institution took by an owner's key, in words. */
  redeemed: string[];
  /** Honest accounts marked as changed. */
  honestMarked: number;
  /** Accepted operations of honest people that never reached their queue on chain. */
  waiting: string[];
  /** People that the issuer has otherwise than follows from the records, in words. */
  wrongStatuses: string[];
}

/** A card is issued inside its request; this many requests are answered in time on a busy machine. */
const bornAtOnce = 8;
const stepsPerRound = 4;
const rounds = 3;
const cooldownPassed = 181;
const patienceMs = 180_000;

/** So low that many lives reach them. */
const lowBounds = { UNPAID_CENTS_MAX: "3000", REVERTED_GAS_PER_HOUR_MAX: "0.002" };

/** Plays this many lives in parallel. In every second round the worker is stopped until queued entries have run. */
export async function playLives({ lives: count, seed }: { lives: number; seed: number }): Promise<Losses> {
  const random = createRandom(seed);
  const service = await startService({ worker: false, env: lowBounds });
  const workerRuntime = await createRuntime(readWorkerSettings(service.env), "worker");
  let worker = await startWorker(workerRuntime);
  const { db, chain, settings } = service.runtime;
  const token = tokens.EURe.address;
  const funded = await chain.getTokenBalance(token, settings.policy.settlementAddress);
  const lives: Life[] = [];
  while (lives.length < count) {
    const indexes = Array.from(
      { length: Math.min(bornAtOnce, count - lives.length) },
      (_, index) => lives.length + index,
    );
    lives.push(...(await Promise.all(indexes.map((index) => beginLife(service, index, random)))));
  }
  const standstillCents = new Map<Life, number>();

  const advance = () =>
    fetch(`${service.sandboxUrl}/chain/advance`, { method: "POST", body: JSON.stringify({ seconds: cooldownPassed }) });
  const sumAuthorized = ({ threads }: Life) => threads.reduce((sum, one) => sum + one.authorized, 0);
  const live = () => Promise.all(lives.map((life) => liveOn(service, life, createRandom(random(2 ** 31)))));

  for (let round = 0; round < rounds; round++) {
    const isStandstill = round % 2 === 1;
    const before = new Map(lives.map((life) => [life, sumAuthorized(life)]));
    if (isStandstill) await worker.stop();
    await live();
    if (isStandstill) {
      for (const life of lives) {
        const grown = Math.max(0, sumAuthorized(life) - (before.get(life) ?? 0));
        standstillCents.set(life, (standstillCents.get(life) ?? 0) + grown);
      }
    } else await untilSettled(service, patienceMs);
    await advance();
    for (const life of lives) await runCooledDown(life);
    if (isStandstill) worker = await startWorker(workerRuntime);
    await untilSettled(service, patienceMs);
  }
  const [books] = await db.execute<{ settled: string; owed: string; marked: string[] }>(sql`
    select (select coalesce(sum(settlement), 0) from ledger_entries) as settled,
      (select coalesce(sum(owed), 0) from card_payments) as owed,
      (select coalesce(json_agg(distinct s.address), '[]') from account_violations v join safes s on s.id = v.safe_id) as marked`);
  const debts = await db.execute<{ safe: string; owed: string }>(sql`
    select s.address as safe, sum(p.owed) as owed from card_payments p join safes s on s.id = p.safe_id group by s.address`);
  const arrived = (await chain.getTokenBalance(token, settings.policy.settlementAddress)) - funded;
  const claimed = await sumAtIssuer(service);
  const wrongStatuses = await findWrongStatuses(service);
  const waiting = await listQueuing(service, lives);
  const [losses, burned] = [await findLosses(service), await findBurnedGas(service)];
  await worker.stop();
  await workerRuntime.close();
  await service.stop();
  const marked = new Set(books?.marked);
  const boundOf = (life: Life) => BigInt(life.unauthorizedCents + (standstillCents.get(life) ?? 0)) * cent;
  const owedOf = new Map(debts.map(({ safe, owed }) => [safe, BigInt(owed)]));
  return {
    lives: count,
    surplus: arrived - BigInt(books?.settled ?? 0),
    lost: claimed - arrived,
    owed: BigInt(books?.owed ?? 0),
    bound: lives.reduce((sum, life) => sum + boundOf(life), 0n),
    beyondBound: lives.flatMap((life) => {
      const owed = owedOf.get(life.holder.safe) ?? 0n;
      return owed > boundOf(life) ? [`${life.holder.safe} owes ${owed}, above its bound of ${boundOf(life)}`] : [];
    }),
    wrongStatuses,
    waiting,
    losses,
    burned,
    redeemed: lives.flatMap(({ redeemed, signedBySafe, holder }) => [
      ...(redeemed > 0 ? [`the institution took ${redeemed} orders for ${holder.safe} by an owner's key`] : []),
      ...(signedBySafe > 0 && !marked.has(holder.safe) ? [`${holder.safe} signs for itself, and is not marked`] : []),
    ]),
    honestMarked: lives.filter((life) => !life.isHostile && marked.has(life.holder.safe)).length,
  };
}

async function liveOn(service: Service, life: Life, random: Random): Promise<void> {
  for (let index = 0; index < stepsPerRound; index++) await step(service, life, random);
}

/** Operations of honest people that are not in a queue on chain once everything has settled. */
async function listQueuing({ runtime: { db } }: Service, lives: readonly Life[]): Promise<string[]> {
  const honest = lives.filter(({ isHostile }) => !isHostile).map(({ holder }) => holder.safe);
  const find = () =>
    db.execute<{ id: string }>(sql`
      select d.id from delay_transactions d join safes s on s.id = d.safe_id
      where d.status = 'QUEUING' and s.address in (select json_array_elements_text(${JSON.stringify(honest)}::json))`);
  await until(async () => (await find()).length === 0, { timeoutMs: patienceMs }).catch(() => null);
  return (await find()).map(({ id }) => `operation ${id} of an honest person waits for its queue`);
}

/** Base units that the issuer has captured or holds, less refunds. */
async function sumAtIssuer({ runtime }: Service): Promise<bigint> {
  const [row] = await runtime.db.execute<{ sum: string }>(sql`
    with transactions as (
      select -(data ->> 'amount')::bigint as amount, data ->> 'authorization' as authorization_id, data ->> 'type' as type
      from sandbox.issuer_objects where object = 'issuing.transaction'),
    held as (
      select greatest(0, (data ->> 'amount')::bigint - coalesce((select sum(t.amount) from transactions t
        where t.authorization_id = o.id and t.type = 'capture'), 0)) as amount
      from sandbox.issuer_objects o where object = 'issuing.authorization'
        and (data ->> 'approved')::boolean and data ->> 'status' = 'pending')
    select coalesce((select sum(amount) from transactions), 0) + coalesce((select sum(amount) from held), 0) as sum`);
  return BigInt(row?.sum ?? 0) * cent;
}
