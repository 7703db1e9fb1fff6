/** Compares the records of accounts whose cards moved money: ledger, payments, issuer and chain. */
import { tokens } from "@cardkeep/chain/tokens";
import { buildTransferTopics } from "@cardkeep/chain/spending";
import type { Address } from "@cardkeep/contract/core/primitives";
import { findPaymentByThread } from "@cardkeep/db/queries/spending/payments";
import { sql } from "drizzle-orm";
import { sumAtIssuer } from "./cardBooks.ts";
import { type DisputeRules, sumAdvances, sumCredits } from "./disputeCredits.ts";
import type { RunningService } from "./service.ts";
import { balancesOf, type CardHolder, cent } from "./spending.ts";

/** A Safe, all cards that use it, and what it would hold without them, in base units. */
interface Account {
  holder: CardHolder;
  cardTokens: readonly string[];
  expected: bigint;
}

/** The differences of some people, who got as much as `given` each, after their cards alone moved money. */
export const compareCards = (
  service: RunningService,
  people: readonly { holder: CardHolder; given: bigint }[],
  { arrived }: { arrived: bigint },
): Promise<string[]> =>
  compareAccounts(
    service,
    people.map(({ holder, given }) => ({ holder, cardTokens: [holder.cardToken], expected: given })),
    { arrived },
  );

/**
 * The differences in words, once everything is settled and nothing is owed; none is expected.
 *
 * @param arrived what the settlement account had before
 */
export async function compareAccounts(
  service: RunningService,
  accounts: readonly Account[],
  { arrived }: { arrived: bigint },
): Promise<string[]> {
  const { db, chain, settings } = service.runtime;
  const { settlementAddress: settlement, ...disputes } = settings.policy;
  const token = tokens.EURe.address;
  const differences: string[] = [];
  const agree = (what: string, a: bigint | number, b: bigint | number) => {
    if (a !== b) differences.push(`${what}: ${a} is not ${b}`);
  };
  const [whole] = await db.execute<{ sum: string; settled: string; owed: string; advanced: string }>(sql`
    select coalesce(sum(safe + held + settlement + owed + advanced + written_off), 0) as sum,
      coalesce(sum(settlement), 0) as settled, coalesce(sum(owed), 0) as owed,
      coalesce(sum(advanced + written_off), 0) as advanced
    from ledger_entries`);
  agree("all entries together", BigInt(whole?.sum ?? 1), 0n);
  agree(
    "what the ledger has at the settlement account",
    BigInt(whole?.settled ?? 0),
    (await chain.getTokenBalance(token, settlement)) - arrived,
  );
  agree("what the ledger has owed", BigInt(whole?.owed ?? 1), 0n);
  agree("what the ledger has advanced and not written off", BigInt(whole?.advanced ?? 1), 0n);
  const { number: toBlock } = await chain.getBlock();
  for (const { holder, cardTokens, expected } of accounts) {
    const safe = holder.safe as Address;
    const onChain = await chain.getTokenBalance(token, safe);
    const [own] = await db.execute<{
      left: string;
      held: string;
      target: string;
      lost: string;
      spends: number;
      returns: number;
    }>(sql`
      with own as (select id from safes where address = ${safe})
      select (select coalesce(sum(safe), 0) from ledger_entries where safe_id in (select id from own)) as left,
        (select coalesce(sum(held), 0) from ledger_entries where safe_id in (select id from own)) as held,
        (select coalesce(sum(target - least(credit, greatest(target, 0))), 0) from card_payments where safe_id in (select id from own)) as target,
        (select coalesce(sum(written_off), 0) from ledger_entries where safe_id in (select id from own)) as lost,
        (select count(*)::int from card_transfers
          where safe_id in (select id from own) and direction = 'spend' and status = 'DONE') as spends,
        (select count(*)::int from card_transfers
          where safe_id in (select id from own) and direction = 'return' and status = 'DONE') as returns`);
    agree(`the ledger of ${safe}`, expected + BigInt(own?.left ?? 0), onChain);
    agree(`what is held of ${safe}`, BigInt(own?.held ?? 1), 0n);
    const lost = BigInt(own?.lost ?? 0);
    agree(`the records of ${safe}`, expected - BigInt(own?.target ?? 0) + lost, onChain);
    agree(
      `what the issuer says of ${safe}`,
      expected - (await sumCards(service, cardTokens, disputes)) * cent + lost,
      onChain,
    );
    const advances = await sumAdvances(service, holder);
    if (disputes.disputeCredit === "provisional" && advances > disputes.disputeAdvanceCentsMax)
      differences.push(`${advances} cents are advanced for disputes of ${safe}`);
    const balances = await balancesOf(holder);
    agree(`the balance of ${safe}`, balances.total, onChain);
    agree(`what can be spent of ${safe}`, balances.spendable, onChain);
    const count = async (sides: { from: Address; to: Address }) =>
      (await chain.getLogs({ addresses: [token], topics: buildTransferTopics(sides), fromBlock: 0n, toBlock })).length;
    agree(`spends of ${safe} on chain`, await count({ from: safe, to: settlement }), own?.spends ?? -1);
    agree(`returns to ${safe} on chain`, await count({ from: settlement, to: safe }), own?.returns ?? -1);
  }
  return differences;
}

/** Cents of a card's threads that wait as cases, without what of them is booked. */
async function sumUnbooked({ runtime: { db } }: RunningService, { cardToken }: { cardToken: string }): Promise<bigint> {
  const threads = await db.execute<{ id: string; amount: string }>(sql`
    select t.thread_id as id, t.amount_minor::text as amount
    from unmatched_threads t join sandbox.issuer_objects o on o.id = t.thread_id
    where coalesce(o.data -> 'card' ->> 'id', o.data ->> 'card') = ${cardToken}`);
  let sum = 0n;
  for (const { id, amount } of threads) {
    const payment = await findPaymentByThread(db, id);
    sum += BigInt(amount) - (payment ? payment.target / cent : 0n);
  }
  return sum;
}

/** Cents that the issuer claims of some cards and that are booked, less what its disputes return to their Safe. */
async function sumCards(service: RunningService, cardTokens: readonly string[], rules: DisputeRules): Promise<bigint> {
  const sums = await Promise.all(
    cardTokens.flatMap((cardToken) => [
      sumAtIssuer(service, { cardToken }),
      sumCredits(service, { cardToken }, rules).then((credit) => -credit),
      sumUnbooked(service, { cardToken }).then((cents) => -cents),
    ]),
  );
  return sums.reduce((total, sum) => total + sum, 0n);
}
