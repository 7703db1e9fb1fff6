/**
 * Many cards live at random at once, some on one Safe, while events of the issuer come late, twice, in any order or never,
 * while the service is stopped, and while Safes are emptied without it. After all debts are paid, all records agree.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import { tokens } from "@cardkeep/chain/tokens";
import { sql } from "drizzle-orm";
import { compareAccounts } from "../support/cardAccounts.ts";
import { createVirtual } from "../support/cards.ts";
import type { Service } from "../support/service.ts";
import { becomeCardHolder, euro, give, untilSettled } from "../support/spending.ts";
import { type Counts, playCardEvent } from "./cardEvents.ts";
import type { CardLife } from "./cardLife.ts";
import { findMissingCases } from "./missingCases.ts";
import { emptySafe, type Owner, withdrawAll, withdrawn } from "./ownerEvents.ts";
import { createRandom, type Random } from "./random.ts";
import { findWrongStatuses } from "./wrongStatuses.ts";
import { settleEverything } from "./settleEverything.ts";
import { boundDay, findExceededSums, logDecisions } from "./sumRule.ts";

const funds = 300n * euro;
const rounds = 2;
/** A card is issued inside its request; this many requests are answered in time on a busy machine. */
const bornAtOnce = 4;
/** What the issuer approves by itself while the service does not answer. */
const standInCentsMax = 2_000;
const dayBounds = [4_000, 15_000, 1_000_000, 1_000_000];

/** Settings with which most happens to cards. */
export const cardLivesEnv = { STAND_IN: "approve", DISPUTE_CREDIT: "provisional", DISPUTE_ADVANCE_CENTS_MAX: "1000" };

export interface CardLives {
  people: number;
  cardsEach: number;
  eventsEach: number;
  seed: number;
  /** Whether triggers log the approvals by which rules are checked. With Citus a trigger may not write to another table. */
  logsApprovals?: boolean;
}

export interface CardBooks {
  cards: number;
  events: number;
  counts: Counts;
  /** Approvals of ours after which the rules' sums were checked. */
  approvals: number;
  /** All differences between the records, and all broken rules, in words; none is expected. */
  differences: string[];
}

/** Plays this many events on each card, and compares the records. */
export async function playCards(
  service: Service,
  { people, cardsEach, eventsEach, seed, logsApprovals = true }: CardLives,
): Promise<CardBooks> {
  const random = createRandom(seed);
  await startDay(service);
  const { settlementAddress: settlement } = service.runtime.settings.policy;
  if (logsApprovals) await logDecisions(service);
  const owners: Owner[] = [];
  while (owners.length < people) {
    const born = Math.min(bornAtOnce, people - owners.length);
    owners.push(...(await Promise.all(Array.from({ length: born }, () => beginOwner(service, cardsEach, random)))));
  }
  const [first] = owners;
  if (!first) throw new Error("A world without people");
  // Refunds may come to more than what was captured before them.
  await give(first.lives[0].holder.person, settlement, 100n * BigInt(people) * euro);
  const arrived = await service.runtime.chain.getTokenBalance(tokens.EURe.address, settlement);
  const counts: Counts = new Map();
  const live = (count: number) =>
    Promise.all(
      owners.map((owner) => liveOn(service, owner, { count, counts, random: createRandom(random(2 ** 31)) })),
    );
  for (let round = 0; round < rounds; round++) {
    await switchFaults(first, true, seed + round);
    await live(Math.ceil((eventsEach / rounds) * 0.75));
    await service.stopServer();
    await live(Math.ceil((eventsEach / rounds) * 0.25));
    service.startServer();
    await switchFaults(first, false, seed);
    await settleEverything(service, owners, random);
  }
  await withdrawAll(service, owners);
  await untilSettled(service, 120_000);
  const bounds = new Map(owners.flatMap(({ lives }) => lives).map(({ cardId, dayCentsMax }) => [cardId, dayCentsMax]));
  const { approvals, faults } = logsApprovals ? await findExceededSums(service, bounds) : { approvals: 0, faults: [] };
  const accounts = owners.map(({ lives: [{ holder }, ...others], given, taken }) => ({
    holder,
    cardTokens: [holder, ...others.map((life) => life.holder)].map(({ cardToken }) => cardToken),
    expected: funds + given - taken - withdrawn,
  }));
  const differences = await compareAccounts(service, accounts, { arrived });
  const events = [...counts.values()].reduce((sum, { done, refused }) => sum + done + refused, 0);
  return {
    cards: bounds.size,
    events,
    counts,
    approvals,
    differences: [
      ...differences,
      ...faults,
      ...(await findMissingCases(service)),
      ...(await findWrongStatuses(service)),
    ],
  };
}

/**
 * Moves the clock to 01:00 UTC. Limits of Safes and rules begin anew at midnight, so a life that met it in a run alone would
 * not be repeated by its seed.
 */
async function startDay({ runtime: { clock, db }, sandboxUrl }: Service): Promise<void> {
  const [daySeconds, startSeconds] = [86_400, 3_600];
  const now = Math.floor((await clock.now(db)).getTime() / 1000);
  const seconds = 1 + ((startSeconds - (now % daySeconds) + daySeconds) % daySeconds);
  const answer = await fetch(`${sandboxUrl}/chain/advance`, { method: "POST", body: JSON.stringify({ seconds }) });
  if (!answer.ok) throw new Error(await answer.text());
}

/** A person with money, and cards with a rule each, all on one Safe. */
async function beginOwner(service: Service, cardsEach: number, random: Random): Promise<Owner> {
  const holder = await becomeCardHolder(service, funds);
  for (let made = 1; made < cardsEach; made++) await createVirtual(holder.person);
  const cards = await service.runtime.db.execute<{ id: string; token: string; userId: string }>(sql`
    select c.id, c.card_token as token, c.user_id as "userId" from cards c join safes s on s.id = c.safe_id
    where s.address = ${holder.safe as Address} order by c.id`);
  const lives: CardLife[] = [];
  for (const { id: cardId, token: cardToken, userId } of cards) {
    const dayCentsMax = dayBounds[random(dayBounds.length)] ?? 0;
    await boundDay(service, { userId, cardId, dayCentsMax });
    lives.push({ holder: { ...holder, cardToken }, cardId, dayCentsMax, threads: [] });
  }
  const [life, ...others] = lives;
  if (!life) throw new Error("A person without a card");
  return { lives: [life, ...others], given: 0n, taken: 0n };
}

/** All cards of a person live at once; beside them the Safe is emptied at times. */
async function liveOn(
  service: Service,
  owner: Owner,
  { count, counts, random }: { count: number; counts: Counts; random: Random },
): Promise<void> {
  const isEmptied = random(12) === 0;
  const live = async (life: CardLife, own: Random) => {
    for (let index = 0; index < count; index++) await playCardEvent(life, own, counts);
  };
  await Promise.all([
    ...owner.lives.map((life) => live(life, createRandom(random(2 ** 31)))),
    isEmptied && emptySafe(service, owner),
  ]);
}

/** The faults on the way between issuer and service. */
async function switchFaults({ lives: [{ holder }] }: Owner, isOn: boolean, seed: number): Promise<void> {
  const asked = { match: "issuing_authorization.request", rate: 0.05, seed };
  const any = { match: "/callbacks/stripe", seed };
  const set = (path: string, body: object) => holder.person.sandbox("PUT", path, body);
  await holder.person.sandbox("DELETE", "/faults", {});
  if (!isOn) return;
  await Promise.all([
    set("/issuer/stand-in", { decision: "approve", amountMax: standInCentsMax }),
    set("/faults/callbacks.duplicate", { ...any, rate: 0.2, ms: 20 }),
    set("/faults/callbacks.reorder", { ...any, rate: 0.2, ms: 500 }),
    set("/faults/callbacks.delay", { ...any, rate: 0.1, ms: 150 }),
    set("/faults/callbacks.lose", { ...any, rate: 0.05 }),
    set("/faults/callbacks.late", asked),
    set("/faults/callbacks.bare", asked),
  ]);
}
