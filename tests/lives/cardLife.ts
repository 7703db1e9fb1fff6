/** One card from its first use to its last dispute: what its merchants know, and how they ask the issuer. */
import type { CardHolder } from "../support/spending.ts";
import type { Random } from "./random.ts";

/** An approved authorization, as its merchant knows it. */
interface Thread {
  readonly id: string;
  /** Cents that were approved, with increments. */
  amount: number;
}

export interface CardLife {
  readonly holder: CardHolder;
  readonly cardId: string;
  /** Cents a day that a rule allows. */
  readonly dayCentsMax: number;
  readonly threads: Thread[];
}

type Fields = Readonly<Record<string, unknown>>;

interface Answered {
  approved?: boolean;
  threadId: string;
  amount: number;
}

/** A request to the terminal; null where the issuer refuses the step, as one that comes too late. */
async function ask({ holder: { person } }: CardLife, path: string, fields: Fields): Promise<Answered | null> {
  const { status, body } = await person.sandbox("POST", path, fields);
  if (status === 200) return body;
  if (status === 422) return null;
  throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
}

/** Uses the card; false where it is declined. */
export async function useCard(life: CardLife, amount: number, fields: Fields = {}): Promise<boolean> {
  const path = `/issuer/cards/${life.holder.cardToken}/authorizations`;
  const used = await ask(life, path, { amount, currency: "EUR", ...fields });
  if (used?.approved !== true) return false;
  life.threads.push({ id: used.threadId, amount: used.amount });
  return true;
}

/** Uses the card at a merchant of its own, whose later steps nothing else takes; null where it is declined. */
export async function useAlone(life: CardLife, amount: number, fields: Fields): Promise<Thread | null> {
  const isApproved = await useCard(life, amount, fields);
  return isApproved ? (life.threads.pop() ?? null) : null;
}

/** A merchant clears without an authorization. */
export const clearOffline = async (life: CardLife, fields: Fields): Promise<boolean> =>
  (await ask(life, `/issuer/cards/${life.holder.cardToken}/clearings`, fields)) !== null;

/** A later step of an authorization; false where it is declined or refused. */
export async function follow(life: CardLife, thread: Thread, step: string, fields: Fields = {}): Promise<boolean> {
  const done = await ask(life, `/issuer/authorizations/${thread.id}/${step}`, fields);
  if (step === "increment" && done) thread.amount = done.amount;
  return done !== null && done.approved !== false;
}

/** Any authorization of the card, newer ones more often; null while there is none. */
export function pickThread({ threads }: CardLife, random: Random): Thread | null {
  const recent = 3;
  const place = random(2) === 0 ? threads.length - 1 - random(recent) : random(threads.length);
  return threads[place] ?? threads.at(-1) ?? null;
}

/** The card's user disputes a payment; false where the service refuses it or is stopped. */
export async function disputePayment({ holder }: CardLife, { id }: Thread, disputeReason: string): Promise<boolean> {
  const explanation = "It was not me";
  await holder.person.call("POST", `/transactions/${id}/dispute/evidence`, { explanation }).catch(() => null);
  const answer = await holder.person.call("POST", `/transactions/${id}/dispute`, { disputeReason }).catch(() => null);
  return answer?.status === 202;
}

const outcomes = ["win", "win", "lose", "lose", "expire", "reinstate", "takeBack"];

/** The card network decides any dispute, in whole or in part, also one that it decided before; null while there is none. */
export async function decideDispute(life: CardLife, random: Random): Promise<boolean | null> {
  const { person } = life.holder;
  const disputes: { id: string; amount: number }[] = (await person.sandbox("GET", "/issuer/disputes")).body;
  const dispute = disputes[random(disputes.length)];
  if (!dispute) return null;
  const outcome = outcomes[random(outcomes.length)];
  const part = random(3) === 0 && { amount: random(dispute.amount + 1) };
  return (await ask(life, `/issuer/disputes/${dispute.id}/decide`, { outcome, ...part })) !== null;
}
