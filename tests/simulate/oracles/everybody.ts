/** What must hold of each person: the ledger, the issuer and the chain agree, promises are kept, and requests end. */
import { compareAccounts } from "../../support/cardAccounts.ts";
import { funds, type Inhabitant } from "../people.ts";
import { waitAlone } from "../native.ts";
import type { World } from "../world.ts";
import type { Reign } from "./oracles.ts";

const listHonest = (people: readonly Inhabitant[]): string[] =>
  people.filter(({ isHostile }) => !isHostile).map(({ lives: [{ holder }] }) => holder.safe);

/** A yes says that the chain will pay: what is owed then was captured beyond it, or the Safe was emptied without the service. */
export async function findUnpaid({ world: { database }, people }: Reign): Promise<string[]> {
  const rows = await database.ask<{ id: string; owed: string }[]>`
    select p.id, p.owed::text from card_payments p join safes s on s.id = p.safe_id
    where p.owed > 0 and p.excess_cents = 0 and p.reversed_cents = 0 and p.captured_cents <= p.authorized_cents
      and p.status = 'CLEARED' and s.address = any(${listHonest(people)})
      and exists (select from card_decisions d where d.payment_id = p.id and d.is_approved and not d.is_by_issuer)`;
  return rows.map(({ id, owed }) => `payment ${id} was approved, and ${owed} of it could not be moved`);
}

export async function compareEverybody({ world, people, arrived }: Reign): Promise<string[]> {
  const executed = (await readWithdrawals(world)).filter(({ status }) => status === "EXECUTED");
  const accounts = people.map(({ lives: [{ holder }], given, taken }) => ({
    holder,
    cardTokens: [holder.cardToken],
    expected: executed
      .filter(({ safe }) => safe === holder.safe)
      .reduce((left, { amount }) => left - BigInt(amount), funds + given - taken),
  }));
  return compareAccounts(world, accounts, { arrived });
}

/** A withdrawal that was accepted was executed, or failed with a reason: the Safe may have less by then. */
const ended = ["EXECUTED", "FAILED"];

export async function findUnended({ world, people }: Reign): Promise<string[]> {
  const states = new Map((await readWithdrawals(world)).map(({ id, status }) => [id, status]));
  return people.flatMap(({ name, withdrawals }) =>
    withdrawals
      .filter((id) => !ended.includes(states.get(id) ?? ""))
      .map((id) => `${id} of ${name} is ${states.get(id) ?? "unknown"} in the end`),
  );
}

interface Withdrawal {
  id: string;
  status: string;
  safe: string;
  amount: string;
}

/** Also those whose acceptance was lost on the way to the person. */
const readWithdrawals = ({ database: { ask } }: World): Promise<Withdrawal[]> =>
  waitAlone(
    () => ask<Withdrawal[]>`
    select d.id, d.status, s.address as safe, coalesce(d.amount, 0)::text as amount
    from delay_transactions d join safes s on s.id = d.safe_id`,
  ).then((rows) => [...rows]);

/** Honest people whose account counts as changed. */
export async function findMarked({ world: { database }, people }: Reign): Promise<string[]> {
  const marked = await waitAlone(
    () => database.ask<{ safe: string; reason: string }[]>`
    select s.address as safe, v.status as reason from account_violations v join safes s on s.id = v.safe_id
    where s.address = any(${listHonest(people)})`,
  );
  return marked.map(({ safe, reason }) => `the account ${safe} of an honest person is marked: ${reason}`);
}
