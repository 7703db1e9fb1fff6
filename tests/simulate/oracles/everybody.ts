/** What must hold of each person: the ledger, the issuer and the chain agree, promises are kept, and requests end. */
import { tokens } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { compareAccounts } from "../../support/cardAccounts.ts";
import type { CardHolder } from "../../support/spending.ts";
import { funds, type Inhabitant } from "../people.ts";
import { waitAlone } from "../native.ts";
import type { World } from "../world.ts";
import type { Reign } from "./oracles.ts";

const token = tokens.EURe.address;

const listHonest = (people: readonly Inhabitant[]): string[] =>
  people.filter(({ isHostile }) => !isHostile).map(({ lives: [{ holder }] }) => holder.safe);

/**
 * A yes says that the chain will pay: what is owed then was captured beyond it, or money went without the service, by the owner or by
 * a stranger who sends a failed spend again.
 */
export async function findUnpaid({ world: { database, replayed }, people }: Reign): Promise<string[]> {
  const rows = await database.ask<{ id: string; owed: string }[]>`
    select p.id, p.owed::text from card_payments p join safes s on s.id = p.safe_id
    where p.owed > 0 and p.excess_cents = 0 and p.reversed_cents = 0 and p.captured_cents <= p.authorized_cents
      and p.status = 'CLEARED' and p.expired_at is null and p.hold_ended_at is null and s.address = any(${listHonest(people).filter((safe) => !replayed.has(safe))})
      and exists (select from card_decisions d where d.payment_id = p.id and d.is_approved and not d.is_by_issuer)`;
  return rows.map(({ id, owed }) => `payment ${id} was approved, and ${owed} of it could not be moved`);
}

export async function compareEverybody(reign: Reign): Promise<string[]> {
  const accounts = (await listExpected(reign)).map((each) => ({ ...each, cardTokens: [each.holder.cardToken] }));
  return compareAccounts(reign.world, accounts, { arrived: reign.arrived });
}

/** What each Safe would hold without its cards, in base units. */
async function listExpected({ world, people }: Reign): Promise<{ holder: CardHolder; expected: bigint }[]> {
  const executed = (await readWithdrawals(world)).filter(({ status }) => status === "EXECUTED");
  return people.map(({ lives: [{ holder }], given, taken }) => ({
    holder,
    expected: executed
      .filter(({ safe }) => safe === holder.safe)
      .reduce((left, { amount }) => left - BigInt(amount), funds + given - taken),
  }));
}

/** Where nothing is on its way, the chain has what the ledger says, also while something is owed. */
export async function findElsewhere(reign: Reign): Promise<string[]> {
  const { world, arrived } = reign;
  const expected = await listExpected(reign);
  const { chain, settings } = world.runtime;
  const till = settings.policy.settlementAddress;
  return waitAlone(async () => {
    const rows = await world.database.ask<{ safe: Address; sum: string; settled: string }[]>`
      select s.address as safe, coalesce(sum(e.safe), 0)::text as sum, coalesce(sum(e.settlement), 0)::text as settled
      from safes s left join ledger_entries e on e.safe_id = s.id group by s.address order by 1`;
    const found: string[] = [];
    const settled = rows.reduce((sum, row) => sum + BigInt(row.settled), 0n);
    const atTill = (await chain.getTokenBalance(token, till)) - arrived;
    if (settled !== atTill) found.push(`the till has ${atTill}, and ${settled} was booked`);
    for (const { holder, expected: before } of expected) {
      const booked = before + BigInt(rows.find(({ safe }) => safe === holder.safe)?.sum ?? 0);
      const onChain = await chain.getTokenBalance(token, holder.safe as Address);
      if (booked !== onChain) found.push(`${holder.safe} has ${onChain}, and the ledger leaves it ${booked}`);
    }
    return found;
  });
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
