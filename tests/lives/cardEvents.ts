/** The random events in the life of a card. Each may come at any time; what is impossible the issuer refuses. */
import {
  clearOffline,
  decideDispute,
  disputePayment,
  follow,
  pickThread,
  useAlone,
  useCard,
  type CardLife,
} from "./cardLife.ts";
import type { Random } from "./random.ts";

/** True where it happened, false where it was declined or refused, null where there was nothing to do. */
type Outcome = boolean | null;

interface CardEvent {
  readonly weight: number;
  readonly play: (life: CardLife, random: Random) => Promise<Outcome>;
}

/** How often what happened in the lives of cards, and was declined or refused. */
export type Counts = Map<string, { done: number; refused: number }>;

type Thread = CardLife["threads"][number];

const abroad = { merchant: "Market", city: "Zurich", country: "CH", merchantCurrency: "CHF" };
const machine = { merchant: "Station Cash", mcc: "6011", type: "01" };
const fee = 195;

const purchase = (weight: number, amountOf: (random: Random) => number, fields: object = {}): CardEvent => ({
  weight,
  play: (life, random) => useCard(life, amountOf(random), { ...fields }),
});

/** An event of an authorization that the card has. */
const later = (
  weight: number,
  play: (life: CardLife, thread: Thread, random: Random) => Promise<Outcome>,
): CardEvent => ({
  weight,
  play: async (life, random) => {
    const thread = pickThread(life, random);
    return thread && play(life, thread, random);
  },
});

/** Part of an amount, at least 1. */
const partOf = (amount: number, random: Random): number => 1 + random(Math.max(1, amount));
const grow = (random: Random) => ({ amount: 1 + random(1_500), partial: random(2) === 0 });
const anyOf = async (outcomes: Promise<boolean>[]): Promise<boolean> => (await Promise.all(outcomes)).includes(true);

/** A merchant that a card is used at alone, so that no other capture or hold is like its own. */
const ownShop = ({ cardId }: CardLife) => ({ merchant: `Shop ${cardId}`.slice(0, 40), mcc: "5411" });

/** What follows a purchase that nothing else touches. */
const alone =
  (play: (life: CardLife, thread: Thread, random: Random) => Promise<Outcome>): CardEvent["play"] =>
  async (life, random) => {
    const thread = await useAlone(life, 1 + random(400), ownShop(life));
    return thread === null ? false : play(life, thread, random);
  };

/** Uses the card, ends the authorization where asked, and captures what it does not cover. */
async function captureOwn(
  life: CardLife,
  authorized: number,
  amount: number,
  end: "reverse" | "expire" | null = null,
): Promise<Outcome> {
  if (!(await useCard(life, authorized))) return false;
  const thread = life.threads.at(-1);
  if (!thread) return null;
  if (end !== null) await follow(life, thread, end);
  return follow(life, thread, "clear", { amount });
}

const events: Readonly<Record<string, CardEvent>> = {
  purchase: purchase(8, (random) => 1 + random(2_000)),
  "two purchases at once": {
    weight: 3,
    play: (life, random) => anyOf([useCard(life, 1 + random(1_500)), useCard(life, 1 + random(1_500))]),
  },
  // Above what the account holds, so that a part is approved.
  "purchase that takes a part": purchase(2, (random) => 1 + random(45_000), { mcc: "5542", partial: true }),
  "account verification": purchase(1, () => 0),
  "cash machine": purchase(1, (random) => fee + 1_000 * (1 + random(3)), { ...machine, fee }),
  "purchase with a wrong code": purchase(1, (random) => 1 + random(500), { cvc: "mismatch" }),
  "purchase abroad": {
    weight: 2,
    play: (life, random) => {
      const amount = 100 + random(2_000);
      return useCard(life, amount, { ...abroad, merchantAmount: Math.round(amount * 0.94) });
    },
  },
  increment: later(5, (life, thread, random) => follow(life, thread, "increment", grow(random))),
  "two increments at once": later(2, (life, thread, random) =>
    anyOf([follow(life, thread, "increment", grow(random)), follow(life, thread, "increment", grow(random))]),
  ),
  "increment and capture at once": later(1, (life, thread, random) =>
    anyOf([
      follow(life, thread, "increment", grow(random)),
      follow(life, thread, "clear", { amount: partOf(thread.amount, random) }),
    ]),
  ),
  capture: later(5, (life, thread, random) =>
    follow(life, thread, "clear", { amount: Math.max(1, thread.amount - random(50)) }),
  ),
  "capture of a part": later(3, (life, thread, random) =>
    follow(life, thread, "clear", { amount: partOf(thread.amount, random), close: random(4) === 0 }),
  ),
  "over-capture": later(2, (life, thread, random) =>
    follow(life, thread, "clear", { amount: thread.amount + 1 + random(random(3) === 0 ? 6_000 : 100) }),
  ),
  "capture at another rate": later(2, (life, thread, random) => {
    const amount = Math.max(1, Math.round(thread.amount * (0.95 + random(100) / 1_000)));
    return follow(life, thread, "clear", { amount, merchantAmount: Math.max(1, Math.round(thread.amount * 0.94)) });
  }),
  reversal: later(1, (life, thread) => follow(life, thread, "reverse")),
  "reversal of a part": later(2, (life, thread, random) =>
    follow(life, thread, "reverse", { amount: partOf(thread.amount, random) }),
  ),
  expiry: later(1, (life, thread) => follow(life, thread, "expire")),
  "capture after an end": later(1, async (life, thread, random) => {
    await follow(life, thread, random(2) === 0 ? "expire" : "reverse");
    return follow(life, thread, "clear", { amount: partOf(thread.amount, random) });
  }),
  "final amount": later(1, (life, thread, random) =>
    follow(life, thread, "finalize", { amount: random(thread.amount + 1) }),
  ),
  refund: later(3, (life, thread, random) => follow(life, thread, "refund", { amount: partOf(thread.amount, random) })),
  "refund at another rate": later(1, (life, thread, random) => {
    const amount = partOf(thread.amount, random);
    return follow(life, thread, "refund", { amount, merchantAmount: amount });
  }),
  "refund that is taken back": later(2, (life, thread, random) =>
    follow(life, thread, "take-back", random(2) === 0 ? {} : { amount: partOf(thread.amount, random) }),
  ),
  "capture that is returned": later(2, (life, thread, random) =>
    follow(life, thread, "return-capture", random(2) === 0 ? {} : { amount: partOf(thread.amount, random) }),
  ),
  "capture without an authorization": {
    weight: 1,
    play: (life, random) => clearOffline(life, { amount: 1 + random(random(4) === 0 ? 9_000 : 300) }),
  },
  // What a cardholder who is the merchant too would do: small captures that no authorization covers, again and again.
  "verification that is captured": {
    weight: 1,
    play: (life, random) => captureOwn(life, 0, 1 + random(5_000)),
  },
  "reversed purchase that is captured": {
    weight: 1,
    play: (life, random) => captureOwn(life, 1 + random(300), 1 + random(5_000), "reverse"),
  },
  "expired purchase that is captured": {
    weight: 1,
    play: (life, random) => captureOwn(life, 1 + random(300), 1 + random(5_000), "expire"),
  },
  "forced captures at once": {
    weight: 1,
    play: (life, random) => anyOf([0, 1].map(() => clearOffline(life, { amount: 1 + random(5_000) }))),
  },
  // The merchant does not name its authorization, and captures it as well or lets it expire.
  "capture beside its authorization": {
    weight: 2,
    play: alone(async (life, thread, random) => {
      await clearOffline(life, { ...ownShop(life), amount: thread.amount });
      if (random(2) === 0) return follow(life, thread, "expire");
      return follow(life, thread, "clear", { amount: random(3) === 0 ? partOf(thread.amount, random) : thread.amount });
    }),
  },
  "capture that comes twice": {
    weight: 1,
    play: alone(async (life, thread, random) => {
      const reference = `ref-${life.cardId}-${random(2 ** 31)}`;
      const capture = () => follow(life, thread, "clear", { amount: thread.amount, reference });
      const isDone = (await capture()) && (await capture());
      return random(3) === 0 ? follow(life, thread, "return-capture", { amount: thread.amount }) : isDone;
    }),
  },
  "captured after its close": {
    weight: 1,
    play: alone(async (life, thread, random) => {
      await follow(life, thread, "close");
      return follow(life, thread, "clear", { amount: partOf(thread.amount, random) });
    }),
  },
  // The issuer's forms are new or wrong: nothing of the thread moves any more.
  "transaction that cannot be booked": {
    weight: 1,
    play: alone(async (life, thread, random) => {
      const { amount } = thread;
      await follow(life, thread, "clear", { amount });
      const wrong = [
        { type: "fee", amount: -1 - random(300) },
        { type: "capture", amount: amount + 1 + random(300) },
        { type: "refund", amount: -1 - random(300) },
        { type: "refund", amount: 100, merchantAmount: -100 },
      ];
      return follow(life, thread, "transactions", { ...wrong[random(wrong.length)] });
    }),
  },
  "refund without a payment": {
    weight: 1,
    play: (life, random) => clearOffline(life, { kind: "refund", amount: 1 + random(200) }),
  },
  dispute: later(4, (life, thread, random) =>
    disputePayment(life, thread, random(2) === 0 ? "wrong_value" : "wrong_installment_number"),
  ),
  "decision about a dispute": {
    weight: 4,
    play: (life, random) => decideDispute(life, random),
  },
};

const drawn = Object.entries(events).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));

/** The events, each with how often it is played among them all. */
export const eventWeights: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(events).map(([name, { weight }]) => [name, weight]),
);

/** Plays one random event of a card, and counts it. @param pick answers its name */
export async function playCardEvent(
  life: CardLife,
  random: Random,
  counts: Counts,
  pick = () => drawn[random(drawn.length)] ?? "",
): Promise<void> {
  const name = pick();
  const outcome = (await events[name]?.play(life, random)) ?? null;
  if (outcome === null) return;
  const { done, refused } = counts.get(name) ?? { done: 0, refused: 0 };
  counts.set(name, outcome ? { done: done + 1, refused } : { done, refused: refused + 1 });
}
