/**
 * Many people use their cards at random and empty their Safes without the service. After all debts are paid, all
 * records agree.
 */
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import { buildTransferTopics } from "@cardkeep/chain/spending";
import type { Address } from "@cardkeep/contract/primitives";
import { sql } from "drizzle-orm";
import { sumAtIssuer } from "./cardBooks.ts";
import { openNode } from "./node.ts";
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
  give,
  raise,
  untilSettled,
  use,
} from "./spending.ts";

const funds = 300n * euro;
const withdrawn = 7n * euro;
const givenBack = 60n * euro;
const elsewhere = `0x${"be".repeat(20)}` as const;

/** Numbers that are the same for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** One person at the till, and the movements outside the service. */
interface Player {
  holder: CardHolder;
  given: bigint;
  taken: bigint;
}

/** The till's data about one approved authorization, in cents. */
interface Thread {
  id: string;
  left: number;
  claimed: number;
  refunded: number;
  isOpen: boolean;
}

export interface Books {
  events: number;
  /** All differences between the records, in words; none is expected. */
  differences: string[];
}

/** Plays this many events on the cards of a few people, with withdrawals in between, and compares the records. */
export async function playCards(
  service: Service,
  { people, events, seed }: { people: number; events: number; seed: number },
): Promise<Books> {
  const random = createRandom(seed);
  const players = await Promise.all(
    Array.from({ length: people }, async (): Promise<Player> => {
      return { holder: await becomeCardHolder(service, funds), given: 0n, taken: 0n };
    }),
  );
  const settlement = service.runtime.settings.rules.settlementAddress;
  const arrived = await service.runtime.chain.getTokenBalance(tokens.EURe.address, settlement);
  const rounds = 2;
  let played = 0;
  for (let round = 0; round < rounds; round++) {
    const share = Math.floor(events / rounds / people);
    const counts = await Promise.all(
      players.map((player, index) => playOne(service, player, share, createRandom(random(2 ** 31) + index))),
    );
    played += counts.reduce((sum, count) => sum + count, 0);
    // A Safe that was empty before its collection is retried after at most a day.
    await advance(service, 86_400);
    await Promise.all(players.map(refundPart));
    await untilPaid(service);
    played += await withdrawTogether(
      service,
      players.map(({ holder }) => holder),
    );
  }
  await untilPaid(service);
  return { events: played, differences: await compare(service, players, { rounds, arrived, settlement }) };
}

/** Waits until every debt is collected and no work is open. */
async function untilPaid(service: Service): Promise<void> {
  await untilSettled(service, 120_000);
  let looks = 0;
  await until(
    async () => {
      const [row] = await service.runtime.db.execute<{ owed: string }>(
        sql`select sum(owed) as owed from card_payments`,
      );
      if (BigInt(row?.owed ?? 0) === 0n) return true;
      // A debt whose collection met another one is looked at again within an hour.
      if (++looks % 20 === 0) await advance(service, 3_600);
      return false;
    },
    { timeoutMs: 60_000, everyMs: 250 },
  );
  await untilSettled(service, 120_000);
}

async function advance({ sandboxUrl }: Service, seconds: number): Promise<void> {
  await fetch(`${sandboxUrl}/chain/advance`, { method: "POST", body: JSON.stringify({ seconds }) });
}

async function refundPart(player: Player): Promise<void> {
  player.given += givenBack;
  await give(player.holder.person, player.holder.safe, givenBack);
}

/** Empties the Safe as a hidden module would; no effect if a spend came first. */
async function empty(service: Service, player: Player): Promise<void> {
  const safe = player.holder.safe as Address;
  const { address: token } = tokens.EURe;
  const amount = await service.runtime.chain.getTokenBalance(token, safe);
  if (amount === 0n) return;
  try {
    const node = openNode(service.rpcUrl);
    await node.sendAs(safe, buildTransfer({ token, to: elsewhere, amount }));
    player.taken += amount;
  } catch {
    // Its balance was already lower.
  }
}

async function playOne(
  service: Service,
  player: Player,
  count: number,
  random: (below: number) => number,
): Promise<number> {
  const threads: Thread[] = [];
  for (let index = 0; index < count; index++) await step(service, player, threads, random);
  return count;
}

async function step(
  service: Service,
  player: Player,
  threads: Thread[],
  random: (below: number) => number,
): Promise<void> {
  const { holder } = player;
  const thread = threads[random(Math.max(1, threads.length))];
  const dice = random(16);
  if (!thread || dice < 5) {
    const asked = 1 + random(400);
    const { approved, threadId: id, amount } = await use(holder, asked, { partial: random(2) === 0 });
    if (approved) threads.push({ id, left: amount, claimed: 0, refunded: 0, isOpen: true });
  } else if (dice > 13) {
    if (thread.isOpen) thread.left += await raise(holder, thread.id, 1 + random(100));
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
  } else if (dice === 12) {
    await empty(service, player);
  } else if (dice === 13) {
    await refundPart(player);
  } else if (dice === 11) {
    const kind = random(2) === 0 ? "create_force_capture" : "create_unlinked_refund";
    await atIssuer(service, `transactions/${kind}`, { amount: String(1 + random(50)), card: holder.cardToken });
  }
}

/** All people withdraw at once, so that the clock is advanced once. */
async function withdrawTogether(service: Service, holders: readonly CardHolder[]): Promise<number> {
  const transfer = { tokenAddress: tokens.EURe.address, to: elsewhere, amount: String(withdrawn) };
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
  await advance(service, 181);
  await have("EXECUTED");
  return holders.length;
}

/** The differences of some people, who got `funds` each, after their cards alone moved money. */
export const compareCards = (
  service: Service,
  people: readonly { holder: CardHolder; given: bigint }[],
  { arrived }: { arrived: bigint },
): Promise<string[]> =>
  compare(
    service,
    people.map(({ holder, given }) => ({ holder, given: given - funds, taken: 0n })),
    { rounds: 0, arrived, settlement: service.runtime.settings.rules.settlementAddress },
  );

async function compare(
  service: Service,
  players: readonly Player[],
  { rounds, arrived, settlement }: { rounds: number; arrived: bigint; settlement: Address },
): Promise<string[]> {
  const { db, chain } = service.runtime;
  const token = tokens.EURe.address;
  const differences: string[] = [];
  const agree = (what: string, a: bigint | number, b: bigint | number) => {
    if (a !== b) differences.push(`${what}: ${a} is not ${b}`);
  };
  const [whole] = await db.execute<{ sum: string; settled: string; owed: string; advanced: string }>(sql`
    select coalesce(sum(safe + held + settlement + owed + advanced), 0) as sum,
      coalesce(sum(settlement), 0) as settled, coalesce(sum(owed), 0) as owed, coalesce(sum(advanced), 0) as advanced
    from ledger_entries`);
  agree("all entries together", BigInt(whole?.sum ?? 1), 0n);
  agree(
    "what the ledger has at the settlement account",
    BigInt(whole?.settled ?? 0),
    (await chain.getTokenBalance(token, settlement)) - arrived,
  );
  agree("what the ledger has owed", BigInt(whole?.owed ?? 1), 0n);
  agree("what the ledger has advanced", BigInt(whole?.advanced ?? 1), 0n);
  const { number: toBlock } = await chain.getBlock();
  for (const { holder, given, taken } of players) {
    const safe = holder.safe as Address;
    const onChain = await chain.getTokenBalance(token, safe);
    const [own] = await db.execute<{ left: string; held: string; target: string; spends: number; returns: number }>(sql`
      with own as (select id from safes where address = ${safe})
      select (select coalesce(sum(safe), 0) from ledger_entries where safe_id in (select id from own)) as left,
        (select coalesce(sum(held), 0) from ledger_entries where safe_id in (select id from own)) as held,
        (select coalesce(sum(target), 0) from card_payments where safe_id in (select id from own)) as target,
        (select count(*)::int from card_transfers
          where safe_id in (select id from own) and direction = 'spend' and status = 'DONE') as spends,
        (select count(*)::int from card_transfers
          where safe_id in (select id from own) and direction = 'return' and status = 'DONE') as returns`);
    const expected = funds + given - taken - BigInt(rounds) * withdrawn;
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
