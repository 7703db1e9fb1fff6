/** What people, merchants and the issuer of a simulated world do at once: each of it alone is in order. */
import { type CardLife, follow, pickThread, useCard } from "../lives/cardLife.ts";
import { balancesOf, cent, useOnce } from "../support/spending.ts";
import type { Inhabitant } from "./people.ts";
import type { Stream } from "./seededRandom.ts";
import { sleepVirtually } from "./virtualTime.ts";

/** Cents with which no person goes to two tills. */
const poor = 500;

/** At two tills at once: each purchase is covered alone, and both together are not; null for who has too little. */
export async function spendTwice({ lives: [life] }: Inhabitant, random: Stream): Promise<string | null> {
  const { holder } = life;
  const { spendable } = await balancesOf(holder);
  // A limit of a day may come before it.
  const most = Math.min(Number(spendable / cent), 35_000);
  if (most < poor) return null;
  const amounts = [0, 1].map(() => Math.ceil(most / 2) + random.below(Math.ceil(most / 2)));
  const uses = await Promise.all(amounts.map((amount) => useOnce(holder, amount)));
  for (const { approved, threadId: id, amount } of uses) if (approved) life.threads.push({ id, amount });
  return `spends ${amounts.join(" and ")} of ${most} cents at once: ${uses.map(({ reason }) => reason).join(" and ")}`;
}

/** Milliseconds in which a use gets to the service: some hundred messages. */
const onTheWayMs = 40;

/** The owner freezes the card while it is used, and needs it again later. */
export async function freezeAtTill({ lives: [life] }: Inhabitant, random: Stream): Promise<string> {
  const { holder, cardId } = life;
  const amount = 100 + random.below(3_000);
  const later = random.below(onTheWayMs);
  const [isApproved, { status }] = await Promise.all([
    useCard(life, amount),
    sleepVirtually(later).then(() => holder.person.call("POST", `/cards/${cardId}/freeze`)),
  ]);
  await holder.person.call("POST", `/cards/${cardId}/unfreeze`);
  // The issuer hears of it by a job.
  await sleepVirtually(5_000);
  return `spends ${amount} cents, and the card is frozen ${later} ms later: ${isApproved ? "approved" : "declined"} and ${status}`;
}

type Step = (amount: number, random: Stream) => [step: string, fields: object];

/** What a merchant does with an authorization, in parts, so that more can follow. */
const steps: readonly Step[] = [
  (amount) => ["clear", { amount, close: false }],
  (amount) => ["clear", { amount, close: false }],
  (amount) => ["refund", { amount }],
  (amount) => ["reverse", { amount }],
  (amount) => ["increment", { amount: amount * 3, partial: true }],
  (amount) => ["increment", { amount: amount * 3, partial: true }],
];

/** Two or three steps of one authorization come shortly after each other, and so do the issuer's reports of them. */
export async function stepAtOnce({ lives: [life] }: Inhabitant, random: Stream): Promise<string> {
  const thread = pickThread(life, random.below) ?? (await useOne(life, random));
  if (!thread) return "finds nothing to go on with";
  const chosen = Array.from({ length: 2 + random.below(2) }, () => {
    const part = 1 + random.below(Math.max(1, Math.floor(thread.amount / 4)));
    return { later: random.below(onTheWayMs), step: steps[random.below(steps.length)]?.(part, random) };
  });
  const said = await Promise.all(
    chosen.map(async ({ later, step: [step, fields] = ["expire", {}] }) => {
      await sleepVirtually(later);
      return `${step} ${(await follow(life, thread, step, { ...fields })) ? "done" : "refused"}`;
    }),
  );
  return `has at once: ${said.join(", ")}`;
}

async function useOne(life: CardLife, random: Stream): Promise<CardLife["threads"][number] | null> {
  return (await useCard(life, 500 + random.below(2_000))) ? (life.threads.at(-1) ?? null) : null;
}
