/** Many people use their cards at random, and in the end every book says the same. */
import { tokens } from "@cardkeep/chain/tokens";
import { buildTransferTopics } from "@cardkeep/chain/spending";
import type { Address } from "@cardkeep/contract/primitives";
import { sql } from "drizzle-orm";
import { until } from "./poll.ts";
import type { Service } from "./service.ts";
import {
  atIssuer,
  balancesOf,
  becomeCardHolder,
  type CardHolder,
  cent,
  euro,
  follow,
  untilSettled,
  use,
} from "./spending.ts";

const funds = 300n * euro;
const withdrawn = 7n * euro;

/** Numbers that are the same for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** What the till knows of one approved authorization, in cents. */
interface Thread {
  id: string;
  left: number;
  claimed: number;
  refunded: number;
  isOpen: boolean;
}

export interface Books {
  events: number;
  /** Everything that does not add up, in words; none is wanted. */
  differences: string[];
}

/** Has so many things happen to the cards of a few people, with withdrawals in between, and compares the books. */
export async function playCards(
  service: Service,
  { people, events, seed }: { people: number; events: number; seed: number },
): Promise<Books> {
  const random = createRandom(seed);
  const holders = await Promise.all(Array.from({ length: people }, () => becomeCardHolder(service, funds)));
  const settlement = service.runtime.settings.settlementAddress;
  const arrived = await service.runtime.chain.getTokenBalance(tokens.EURe.address, settlement);
  const rounds = 2;
  let played = 0;
  for (let round = 0; round < rounds; round++) {
    const share = Math.floor(events / rounds / people);
    const counts = await Promise.all(
      holders.map((holder, index) => playOne(service, holder, share, createRandom(random(2 ** 31) + index))),
    );
    played += counts.reduce((sum, count) => sum + count, 0);
    played += await withdrawTogether(service, holders);
  }
  await untilSettled(service, 120_000);
  return { events: played, differences: await compare(service, holders, { rounds, arrived, settlement }) };
}

async function playOne(
  service: Service,
  holder: CardHolder,
  count: number,
  random: (below: number) => number,
): Promise<number> {
  const threads: Thread[] = [];
  for (let index = 0; index < count; index++) await step(service, holder, threads, random);
  return count;
}

async function step(
  service: Service,
  holder: CardHolder,
  threads: Thread[],
  random: (below: number) => number,
): Promise<void> {
  const thread = threads[random(Math.max(1, threads.length))];
  const dice = random(12);
  if (!thread || dice < 5) {
    const amount = 1 + random(400);
    const { approved, threadId: id } = await use(holder, amount);
    if (approved) threads.push({ id, left: amount, claimed: 0, refunded: 0, isOpen: true });
  } else if (dice < 8) {
    const amount = Math.max(1, thread.left + random(60) - 30);
    const close = random(3) > 0;
    if (!thread.isOpen && thread.claimed > 0 && random(2) === 0) return;
    await follow(holder, thread.id, "clear", { amount, close });
    thread.claimed += amount;
    thread.left = Math.max(0, thread.left - amount);
    thread.isOpen &&= !close;
  } else if (dice === 8 && thread.isOpen && thread.left > 0) {
    const amount = 1 + random(thread.left);
    await follow(holder, thread.id, "reverse", { amount });
    thread.left -= amount;
    if (thread.left === 0) thread.isOpen = false;
  } else if (dice === 9 && thread.isOpen && thread.left > 0) {
    await follow(holder, thread.id, "expire");
    thread.left = 0;
    thread.isOpen = false;
  } else if (dice === 10 && thread.claimed > thread.refunded) {
    const amount = 1 + random(thread.claimed - thread.refunded);
    await follow(holder, thread.id, "refund", { amount });
    thread.refunded += amount;
  } else if (dice === 11) {
    const kind = random(2) === 0 ? "create_force_capture" : "create_unlinked_refund";
    await atIssuer(service, `transactions/${kind}`, { amount: String(1 + random(50)), card: holder.cardToken });
  }
}

/** Everybody withdraws at once, so that the clock is moved once. */
async function withdrawTogether(service: Service, holders: readonly CardHolder[]): Promise<number> {
  const transfer = { tokenAddress: tokens.EURe.address, to: `0x${"be".repeat(20)}`, amount: String(withdrawn) };
  const ids = await Promise.all(
    holders.map(async ({ person }) => {
      const { status, body } = await person.call("POST", "/accounts/withdraw", await person.signWithdrawal(transfer));
      if (status !== 200) throw new Error(`accounts/withdraw: ${status} ${JSON.stringify(body)}`);
      return body.data.id as string;
    }),
  );
  const have = (status: string) =>
    until(
      async () => {
        const found = await Promise.all(holders.map(({ person }, index) => person.findDelay(ids[index] ?? "")));
        return found.every((operation) => operation?.status === status);
      },
      { timeoutMs: 60_000 },
    );
  await have("WAITING");
  await fetch(`${service.sandboxUrl}/chain/advance`, { method: "POST", body: JSON.stringify({ seconds: 181 }) });
  await have("EXECUTED");
  return holders.length;
}

async function compare(
  service: Service,
  holders: readonly CardHolder[],
  { rounds, arrived, settlement }: { rounds: number; arrived: bigint; settlement: Address },
): Promise<string[]> {
  const { db, chain } = service.runtime;
  const token = tokens.EURe.address;
  const differences: string[] = [];
  const agree = (what: string, a: bigint | number, b: bigint | number) => {
    if (a !== b) differences.push(`${what}: ${a} is not ${b}`);
  };
  const [whole] = await db.execute<{ sum: string; settled: string; failed: number }>(sql`
    select coalesce(sum(amount), 0) as sum,
      coalesce(sum(amount) filter (where account = 'settlement'), 0) as settled,
      (select count(*)::int from card_transfers where status = 'FAILED') as failed
    from ledger_entries`);
  agree("all entries together", BigInt(whole?.sum ?? 1), 0n);
  agree(
    "what the ledger has at the settlement account",
    BigInt(whole?.settled ?? 0),
    (await chain.getTokenBalance(token, settlement)) - arrived,
  );
  agree("refused transfers", whole?.failed ?? -1, 0);
  const { number: toBlock } = await chain.getBlock();
  for (const holder of holders) {
    const safe = holder.safe as Address;
    const onChain = await chain.getTokenBalance(token, safe);
    const [own] = await db.execute<{ left: string; held: string; target: string; spends: number; returns: number }>(sql`
      select (select coalesce(sum(e.amount), 0) from ledger_entries e where e.safe_id = s.id and e.account = 'safe') as left,
        (select coalesce(sum(e.amount), 0) from ledger_entries e where e.safe_id = s.id and e.account = 'held') as held,
        (select coalesce(sum(p.target), 0) from card_payments p where p.safe_id = s.id) as target,
        (select count(*)::int from card_transfers t where t.safe_id = s.id and t.direction = 'spend') as spends,
        (select count(*)::int from card_transfers t where t.safe_id = s.id and t.direction = 'return') as returns
      from safes s where s.address = ${safe}`);
    const expected = funds - BigInt(rounds) * withdrawn;
    agree(`the ledger of ${safe}`, expected + BigInt(own?.left ?? 0), onChain);
    agree(`what is held of ${safe}`, BigInt(own?.held ?? 1), 0n);
    agree(`the records of ${safe}`, expected - BigInt(own?.target ?? 0), onChain);
    agree(`what the issuer says of ${safe}`, expected - (await sumAtIssuer(service, holder)) * cent, onChain);
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

/** Cents that are claimed and not given back, and those that are held, as the issuer has them. */
async function sumAtIssuer(service: Service, { cardToken }: CardHolder): Promise<bigint> {
  const [row] = await service.runtime.db.execute<{ sum: string }>(sql`
    with transactions as (
      select -(data ->> 'amount')::bigint as amount, data ->> 'authorization' as authorization_id, data ->> 'type' as type
      from sandbox.issuer_objects where object = 'issuing.transaction' and data ->> 'card' = ${cardToken}),
    held as (
      select greatest(0, (data ->> 'amount')::bigint - coalesce((select sum(t.amount) from transactions t
        where t.authorization_id = o.id and t.type = 'capture'), 0)) as amount
      from sandbox.issuer_objects o where object = 'issuing.authorization' and data -> 'card' ->> 'id' = ${cardToken}
        and (data ->> 'approved')::boolean and data ->> 'status' = 'pending')
    select coalesce((select sum(amount) from transactions), 0) + coalesce((select sum(amount) from held), 0) as sum`);
  return BigInt(row?.sum ?? 0);
}
