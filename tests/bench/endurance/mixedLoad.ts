/** A fixed load of all kinds, each at a rate of its own that does not depend on the speed of the answers. */
import { randomUUID } from "node:crypto";
import type { Person } from "../../support/person.ts";
import { type CardHolder, follow, useOnce } from "../../support/spending.ts";
import { eure } from "../../support/tokens.ts";
import { destination } from "../world.ts";
import { closeBeforeAnswer, closeMidBody, readSlowly, type RudeClient, trickle } from "./rudeClients.ts";

/** A kind of request: its pause in milliseconds, and one turn of it, which answers whether the answer was the expected one. */
export interface Ingredient {
  readonly name: string;
  readonly everyMs: number;
  turn(index: number): Promise<boolean>;
}

export interface MixedLoad {
  /** By ingredient: turns so far, and those with another answer or none. */
  readonly counts: Readonly<Record<string, { all: number; unexpected: number }>>;
  /** Multiplies the rates of all kinds. */
  setSpeed(speed: number): void;
  /** Lets the turns in flight end. */
  stop(): Promise<void>;
}

/** Turns of one ingredient at a time. A turn beyond this is left out, so a stuck program does not fill this process. */
const inFlightMax = 50;

/** Starts all ingredients. */
export function startMixedLoad(ingredients: readonly Ingredient[]): MixedLoad {
  const counts = Object.fromEntries(ingredients.map(({ name }) => [name, { all: 0, unexpected: 0 }]));
  const running = new Set<Promise<void>>();
  const starts = ingredients.map(({ name, everyMs, turn }) => {
    const count = counts[name] ?? { all: 0, unexpected: 0 };
    let inFlight = 0;
    const start = () => {
      if (inFlight >= inFlightMax) return;
      inFlight += 1;
      const current: Promise<void> = turn(count.all++)
        .catch(() => false)
        .then((isExpected) => {
          if (!isExpected) count.unexpected += 1;
          inFlight -= 1;
          running.delete(current);
        });
      running.add(current);
    };
    return { start, everyMs };
  });
  let timers: Timer[] = [];
  const clear = () => {
    for (const timer of timers) clearInterval(timer);
  };
  const setSpeed = (speed: number) => {
    clear();
    timers = starts.map(({ start, everyMs }) => setInterval(start, everyMs / speed));
  };
  setSpeed(1);
  return {
    counts,
    setSpeed,
    stop: async () => {
      clear();
      await Promise.all(running);
    },
  };
}

const bodyBytes = 70 * 1024;
/** 64 KiB is the limit of a body. */
const tooLarge = JSON.stringify({ text: "x".repeat(bodyBytes) });

/** The mix of the endurance run, by holders of cards. */
export function listIngredients(holders: readonly CardHolder[], port: number): Ingredient[] {
  const holderOf = (index: number): CardHolder => {
    const holder = holders[index % holders.length];
    if (!holder) throw new Error("A load needs people");
    return holder;
  };
  const personOf = (index: number): Person => holderOf(index).person;
  const clientOf = (index: number): RudeClient => ({ port, token: personOf(index).token ?? "" });
  const lists = ["/delay-relay", "/cards", "/cards/transactions", "/user"];
  const send = async (index: number, status: number, ...call: Parameters<Person["call"]>) =>
    (await personOf(index).call(...call)).status === status;
  const rude = (act: (client: RudeClient) => Promise<void>) => async (index: number) => {
    await act(clientOf(index));
    return true;
  };
  return [
    { name: "read", everyMs: 200, turn: (index) => send(index, 200, "GET", lists[index % lists.length] ?? "") },
    {
      name: "read by tRPC",
      everyMs: 400,
      turn: async (index) => Array.isArray(await personOf(index).trpc().delays.list.query()),
    },
    { name: "post", everyMs: 500, turn: (index) => postAnswers(personOf(index)) },
    { name: "malformed", everyMs: 500, turn: (index) => postMalformed(personOf(index), index % 2 === 0 ? "{" : {}) },
    { name: "too large", everyMs: 500, turn: (index) => postTooLarge(personOf(index), index % 2 === 0) },
    { name: "closed amid the body", everyMs: 500, turn: rude(closeMidBody) },
    { name: "closed before the answer", everyMs: 500, turn: rude(closeBeforeAnswer) },
    { name: "slow body", everyMs: 4_000, turn: rude(trickle) },
    { name: "slow reader", everyMs: 4_000, turn: rude(readSlowly) },
    {
      name: "sign-in",
      everyMs: 10_000,
      turn: async (index) => (await personOf(index).signIn()).token !== undefined,
    },
    { name: "card use", everyMs: 4_000, turn: (index) => useCard(holderOf(index), index) },
    { name: "withdrawal", everyMs: 15_000, turn: (index) => withdraw(personOf(index)) },
  ];
}

async function postAnswers(person: Person): Promise<boolean> {
  const { body: questions } = await person.call("GET", "/source-of-funds");
  const answers = (questions as { question: string; answers: string[] }[]).map(({ question, answers: [answer] }) => ({
    question,
    answer,
  }));
  return (await person.call("POST", "/source-of-funds", answers)).status === 200;
}

async function postMalformed(person: Person, body: unknown): Promise<boolean> {
  const { status } = await person.call("POST", "/accounts/withdraw", body);
  return status === 400 || status === 422;
}

/** With its length declared, or in chunks. The server may close the connection before it has read all. */
async function postTooLarge(person: Person, isDeclared: boolean): Promise<boolean> {
  const answer = await fetch(`${person.service.url}/api/v1/source-of-funds`, {
    method: "POST",
    headers: { Authorization: `Bearer ${person.token}`, "Content-Type": "application/json" },
    body: isDeclared ? tooLarge : new Blob([tooLarge]).stream(),
  });
  await answer.text();
  return answer.status === 413;
}

/** The issuer asks for a decision, and captures or reverses what was approved. */
async function useCard(holder: CardHolder, index: number): Promise<boolean> {
  const { approved, threadId } = await useOnce(holder, 1);
  if (approved) await follow(holder, threadId, index % 2 === 0 ? "clear" : "reverse");
  return approved;
}

async function withdraw(person: Person): Promise<boolean> {
  const body = await person.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
  const key = { "Idempotency-Key": randomUUID() };
  return (await person.call("POST", "/accounts/withdraw", body, key)).status === 200;
}
