import { listRevertedGas } from "@cardkeep/db/queries/chain/relay/revertedGas";
import type { Services } from "../../core/services.ts";
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { findNextTry } from "./gasBudget.ts";

/** What one person's refused transactions cost; amounts in base units of the native token. */
export interface PersonGas {
  userId: string;
  hour: bigint;
  day: bigint;
  /** Within the last 24 hours. */
  count: number;
  /** When the person's next transaction is tried; null where it may be tried now. */
  nextTryAt: Date | null;
}

/** The people with refused transactions in the last 24 hours; who cost most comes first. */
export async function readRevertedGas({
  db,
  clock,
  policy,
}: Pick<Services, "db" | "clock" | "policy">): Promise<PersonGas[]> {
  const now = await clock.now(db);
  const ageMs = (instant: Date) => now.getTime() - instant.getTime();
  const reverts = await listRevertedGas(db, { since: new Date(now.getTime() - dayMs) });
  const people = [...Map.groupBy(reverts, ({ userId }) => userId)].map(([userId, own]): PersonGas => {
    const sum = (withinMs: number) =>
      own.reduce((total, { cost, createdAt }) => (ageMs(createdAt) < withinMs ? total + cost : total), 0n);
    const nextTryAt = findNextTry(own, policy.gasBudget);
    const isHeld = nextTryAt !== null && ageMs(nextTryAt) < 0;
    return { userId, hour: sum(hourMs), day: sum(dayMs), count: own.length, nextTryAt: isHeld ? nextTryAt : null };
  });
  return people.toSorted((a, b) => Number(b.day - a.day));
}

/** The people whose transactions wait now, each with the instant of the next try. */
export const listHeldPeople = async (ctx: Parameters<typeof readRevertedGas>[0]): Promise<Map<string, Date>> =>
  new Map(
    (await readRevertedGas(ctx)).flatMap(({ userId, nextTryAt }) => (nextTryAt ? [[userId, nextTryAt] as const] : [])),
  );

/** What all people together cost, and how many of them wait. */
export const sumPeople = (people: readonly PersonGas[]): { cost: bigint; count: number; held: number } => ({
  cost: people.reduce((total, { day }) => total + day, 0n),
  count: people.reduce((total, { count }) => total + count, 0),
  held: people.filter(({ nextTryAt }) => nextTryAt !== null).length,
});
