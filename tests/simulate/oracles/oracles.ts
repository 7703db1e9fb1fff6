/** What must hold in a simulated world. Each oracle answers what is broken, in words. */
import { findBurnedGas, findLosses } from "../../lives/lossBound.ts";
import { findMissingCases } from "../../lives/missingCases.ts";
import { findWrongStatuses } from "../../lives/wrongStatuses.ts";
import { compareAccounts } from "../../support/cardAccounts.ts";
import { findWrongRows } from "./books.ts";
import { funds, type Inhabitant } from "../people.ts";
import type { World } from "../world.ts";

/** What must hold at each quiet point, also while something is owed. */
export async function findBroken(world: World, people: readonly Inhabitant[]): Promise<string[]> {
  const {
    database: { ask },
    failures,
  } = world;
  const honest = people.filter(({ isHostile }) => !isHostile).map(({ lives: [{ holder }] }) => holder.safe);
  // A yes says that the chain will pay: what is owed then was captured beyond it, or the Safe was emptied without the service.
  const unpaid = await ask<{ id: string; owed: string }[]>`
    select p.id, p.owed::text from card_payments p join safes s on s.id = p.safe_id
    where p.owed > 0 and p.excess_cents = 0 and p.reversed_cents = 0 and p.captured_cents <= p.authorized_cents
      and p.status = 'CLEARED' and s.address = any(${honest})
      and exists (select from card_decisions d where d.payment_id = p.id and d.is_approved and not d.is_by_issuer)`;
  const [books] = await ask<{ sum: string; owed: string; payments: string }[]>`
    select coalesce(sum(safe + held + settlement + owed + advanced + written_off), 0)::text as sum,
      coalesce(sum(owed), 0)::text as owed,
      (select coalesce(sum(owed), 0) from card_payments)::text as payments from ledger_entries`;
  const given = await ask<{ task: string; error: string | null }[]>`
    select t.identifier as task, j.last_error as error from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where not j.is_available and j.locked_at is null and j.key is not null`;
  return [
    ...(books?.sum === "0" ? [] : [`the entries of the ledger come to ${books?.sum} together`]),
    ...(books?.owed === books?.payments ? [] : [`the ledger has ${books?.owed} owed, the payments ${books?.payments}`]),
    ...unpaid.map(({ id, owed }) => `payment ${id} was approved, and ${owed} of it could not be moved`),
    ...(await findWrongRows(world)),
    ...given.map(({ task, error }) => `a job of ${task} was given up: ${error}`),
    ...[...failures].filter(([, error]) => isOfProgram(error)).map(([job, error]) => `job ${job} failed: ${error}`),
  ];
}

/** A job that fails because a part is away is tried again; each other failure is a fault of the program. */
const isOfProgram = (error: string): boolean => !/Unavailable|unavailable|ChainReorganised/.test(error);

/** What must hold in the end, once everything is paid and settled. */
export async function findDifferences(world: World, people: readonly Inhabitant[], arrived: bigint): Promise<string[]> {
  const withdrawn = await readWithdrawals(world);
  const states = new Map(withdrawn.map(({ id, status }) => [id, status]));
  const executed = withdrawn.filter(({ status }) => status === "EXECUTED");
  const accounts = people.map(({ lives: [{ holder }], given, taken }) => ({
    holder,
    cardTokens: [holder.cardToken],
    expected: executed
      .filter(({ safe }) => safe === holder.safe)
      .reduce((left, { amount }) => left - BigInt(amount), funds + given - taken),
  }));
  return [
    ...(await compareAccounts(world, accounts, { arrived })),
    ...(await findMissingCases(world)),
    ...(await findWrongStatuses(world)),
    ...(await findLosses(world)),
    ...(await findBurnedGas(world)),
    ...(await findMarked(world, people)),
    ...people.flatMap(({ name, withdrawals }) =>
      withdrawals
        .filter((id) => !ended.includes(states.get(id) ?? ""))
        .map((id) => `the withdrawal ${id} of ${name} is ${states.get(id) ?? "unknown"} in the end`),
    ),
  ];
}

/** A withdrawal that was accepted was executed, or failed with a reason: the Safe may have less by then. */
const ended = ["EXECUTED", "FAILED"];

interface Withdrawal {
  id: string;
  status: string;
  safe: string;
  amount: string;
}

/** Also those whose acceptance was lost on the way to the person. */
const readWithdrawals = ({ database: { ask } }: World): Promise<Withdrawal[]> =>
  ask<Withdrawal[]>`
    select d.id, d.status, s.address as safe, coalesce(d.amount, 0)::text as amount
    from delay_transactions d join safes s on s.id = d.safe_id`.then((rows) => [...rows]);

/** Honest people whose account counts as changed. */
async function findMarked({ database: { ask } }: World, people: readonly Inhabitant[]): Promise<string[]> {
  const honest = people.filter(({ isHostile }) => !isHostile).map(({ lives: [{ holder }] }) => holder.safe);
  const marked = await ask<{ safe: string; reason: string }[]>`
    select s.address as safe, v.status as reason from account_violations v join safes s on s.id = v.safe_id
    where s.address = any(${honest})`;
  return marked.map(({ safe, reason }) => `the account ${safe} of an honest person is marked: ${reason}`);
}
