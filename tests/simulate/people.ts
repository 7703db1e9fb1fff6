/** The people of a simulated world: honest and hostile owners, who use the public API, their cards and the chain. */
import { tokens } from "@cardkeep/chain/tokens";
import { listDebts } from "@cardkeep/db/queries/spending/debts";
import { type Counts, eventWeights, playCardEvent } from "../lives/cardEvents.ts";
import { type CardLife, follow, useCard } from "../lives/cardLife.ts";
import { emptySafe, type Owner, writeOffSome, writeOffWhole } from "../lives/ownerEvents.ts";
import { becomeCardHolder, cent, euro, give } from "../support/spending.ts";
import { subscribe } from "../support/webhooks.ts";
import { freezeAtTill, spendTwice, stepAtOnce } from "./atOnce.ts";
import { createMood, pickKind } from "./mood.ts";
import { createStream, type Stream } from "./seededRandom.ts";
import { emptyTill } from "./till.ts";
import { sleepVirtually } from "./virtualTime.ts";
import type { World } from "./world.ts";

export interface Inhabitant extends Owner {
  readonly name: string;
  readonly isHostile: boolean;
  /** The ids of withdrawals that the service said it accepted. */
  readonly withdrawals: string[];
}

/** So little that purchases compete for it. */
export const funds = 60n * euro;
const elsewhere = `0x${"be".repeat(20)}` as const;

/** Who gets the events of all people. */
export const partnerName = "observer";

/** A person with money and a card. */
export async function beginLife(world: World, seed: number, index: number): Promise<Inhabitant> {
  const holder = await becomeCardHolder(world, funds);
  await subscribe(holder.person, partnerName);
  const [card]: { id: string }[] = (await holder.person.call("GET", "/cards")).body;
  const life: CardLife = { holder, cardId: card?.id ?? "", dayCentsMax: 1_000_000, threads: [] };
  const name = `person-${index}`;
  const isHostile = createStream(seed, `character of ${name}`).below(2) === 0;
  return { name, isHostile, lives: [life], given: 0n, taken: 0n, withdrawals: [] };
}

const drawsMax = 5;

/** What people do. Each seed uses cards: its mood makes all else more frequent, or leaves it out. */
const actWeights = {
  card: 40,
  "same money": 4,
  withdrawal: 2,
  freeze: 1,
  money: 2,
  wealth: 0.5,
  pause: 1,
  theft: 1,
  "debt given up": 1,
  "debt at the till": 1,
  "empty till": 0.5,
  "freeze at the till": 2,
  "steps at once": 3,
};

/** One act of a person, as the plan's seed and the act's number say. */
export async function playAct(
  world: World,
  one: Inhabitant,
  { seed, number, counts }: { seed: number; number: number; counts: Counts },
): Promise<string> {
  const random = createStream(seed, `act ${number}`);
  const mood = createMood(seed);
  const factorOf = (kind: string): number => (kind === "card" ? 1 : mood.factorOf(kind));
  const kind = pickKind(actWeights, { factorOf }, random.below) ?? "card";
  if (kind === "theft" && one.isHostile) {
    await world.keep(() => emptySafe(world, one), "taken");
    return "empties the Safe past the service";
  }
  if (kind === "withdrawal") return withdraw(one, random);
  if (kind === "freeze") return freeze(one, random);
  if (kind === "money") return receive(world, one, 1 + random.below(3_000));
  if (kind === "wealth") return receive(world, one, 100_000);
  if (kind === "same money") return (await spendTwice(one, random)) ?? receive(world, one, 2_000 + random.below(8_000));
  if (kind === "empty till") return emptyTill(world, one.lives[0].holder.person, random);
  if (kind === "freeze at the till") return freezeAtTill(one, random);
  if (kind === "steps at once") return stepAtOnce(one, random);
  if (kind === "debt at the till") return useInDebt(world, one, random);
  if (kind === "debt given up") return giveUp(world, one, random);
  if (kind === "pause") return pause(random);
  const own: Counts = new Map();
  // Many events need an authorization before them.
  const pick = () => pickKind(eventWeights, mood, random.below) ?? "purchase";
  for (let draws = 0; draws < drawsMax && own.size === 0; draws++)
    await playCardEvent(one.lives[0], random.below, own, draws === 0 ? pick : undefined);
  const [played] = own;
  if (!played) return "looks at the card";
  const [name, { done, refused }] = played;
  const known = counts.get(name) ?? { done: 0, refused: 0 };
  counts.set(name, { done: known.done + done, refused: known.refused + refused });
  const text = `${name}: ${done > 0 ? "done" : "refused"}`;
  // Whose card is declined tops it up: without money nothing more happens.
  if (done > 0 || random.below(3) === 0) return text;
  return `${text}, and ${await receive(world, one, 500 + random.below(6_000))}`;
}

/** An operator gives up debts. At times the merchant of one gives back a part of its money then. */
async function giveUp(world: World, one: Inhabitant, random: Stream): Promise<string> {
  const [life] = one.lives;
  if (random.below(2) === 0) {
    await writeOffSome(world, one, random.below);
    return "has an operator give up a part of the debts";
  }
  const id = await writeOffWhole(world, one);
  if (id === null) return "owes nothing";
  const isDone = await follow(life, { id, amount: 0 }, "refund", { amount: 1 + random.below(300) });
  return `has an operator give up a debt, and its refund is ${isDone ? "done" : "refused"}`;
}

/** Money for a debt and more arrives, and the card is used before the debt is collected. */
async function useInDebt(world: World, one: Inhabitant, random: Stream): Promise<string> {
  const [life] = one.lives;
  const debts = await listDebts(world.runtime.db, life.holder.person.userId ?? "");
  const owed = debts.reduce((sum, debt) => sum + debt.owed, 0n);
  if (owed === 0n) return "owes nothing";
  const amount = 100 + random.below(3_000);
  const received = await receive(world, one, Number(owed / cent) + 5_000);
  const isApproved = await useCard(life, amount);
  return `${received}, and spends ${amount} cents in debt: ${isApproved ? "approved" : "declined"}`;
}

/** Money arrives, perhaps while something is owed. */
async function receive(world: World, one: Inhabitant, cents: number): Promise<string> {
  const { holder } = one.lives[0];
  const amount = BigInt(cents) * cent;
  // A sandbox that stands still may look in vain for the block: the money arrives all the same.
  await world.keep(() => give(holder.person, holder.safe, amount).catch(() => null), "given");
  one.given += amount;
  return `gets ${amount / cent} cents`;
}

const pausesSeconds = [2, 7, 40, 240];

async function pause(random: Stream): Promise<string> {
  const seconds = pausesSeconds[random.below(pausesSeconds.length)] ?? 1;
  await sleepVirtually(seconds * 1_000);
  return `waits for ${seconds} s`;
}

/** Money goes out, at times by two orders at once. */
async function withdraw(one: Inhabitant, random: Stream): Promise<string> {
  const orders = Array.from({ length: random.below(3) === 0 ? 2 : 1 }, () => withdrawOnce(one, random));
  return (await Promise.all(orders)).join(", ");
}

async function withdrawOnce(one: Inhabitant, random: Stream): Promise<string> {
  const { person } = one.lives[0].holder;
  const amount = BigInt(1 + random.below(3_000)) * cent;
  const transfer = { tokenAddress: tokens.EURe.address, to: elsewhere, amount: String(amount) };
  const { status, body } = await person.call("POST", "/accounts/withdraw", await person.signWithdrawal(transfer));
  if (status === 200) one.withdrawals.push(String(body.data.id));
  return `withdraws ${amount / cent} cents: ${status}`;
}

async function freeze(one: Inhabitant, random: Stream): Promise<string> {
  const { holder, cardId } = one.lives[0];
  const verb = random.below(2) === 0 ? "freeze" : "unfreeze";
  const { status } = await holder.person.call("POST", `/cards/${cardId}/${verb}`);
  return `asks to ${verb} the card: ${status}`;
}
