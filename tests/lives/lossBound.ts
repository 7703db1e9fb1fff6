/**
 * The bound of loss per person, as packages/domain/README.md states it: from `UNPAID_CENTS_MAX` unpaid cents on, only captures of
 * authorizations that are open then, captures without one, and refunds that are taken back make the debt grow. And what the gas of one person may cost.
 */
import { sql } from "drizzle-orm";
import type { Service } from "../support/service.ts";
import { cent } from "../support/spending.ts";

/** One change of what a payment owes, in the order of the ledger. Instants are in milliseconds. */
export interface DebtChange {
  readonly userId: string;
  readonly paymentId: string;
  readonly at: number;
  /** Base units. */
  readonly owed: bigint;
  /** When its authorization was approved, by whomever; null for a payment without one. */
  readonly approvedAt: number | null;
}

/** An approval is decided before it is committed, and a debt too: either may be dated some time before the other sees it. */
const slackMs = 10_000;

/** Debts that grew by a payment which was approved after its person's cards had to be inactive, in words. */
export function findBeyondBound(changes: readonly DebtChange[], unpaidMax: bigint): string[] {
  const people = new Map<string, { owed: bigint; inactiveSince: number | null }>();
  return changes.flatMap(({ userId, paymentId, at, owed, approvedAt }) => {
    const before = people.get(userId) ?? { owed: 0n, inactiveSince: null };
    const after = before.owed + owed;
    const inactiveSince = after < unpaidMax ? null : (before.inactiveSince ?? at);
    people.set(userId, { owed: after, inactiveSince });
    if (owed <= 0n || before.inactiveSince === null || approvedAt === null) return [];
    if (approvedAt <= before.inactiveSince + slackMs) return [];
    return [`user ${userId} owes ${owed} more for payment ${paymentId}, approved after the cards had to be inactive`];
  });
}

/** The debts of everybody that grew beyond the bound. */
export async function findLosses({ runtime }: Service): Promise<string[]> {
  const rows = await runtime.db.execute<
    Record<"userId" | "paymentId" | "at" | "owed", string> & { approved: string }
  >(sql`
    select l.user_id as "userId", l.payment_id as "paymentId", l.owed, extract(epoch from l.created_at) * 1000 as at,
      extract(epoch from coalesce(
        (select s.decided_at from card_stand_ins s where s.payment_id = l.payment_id and s.approved_cents > 0),
        (select min(d.created_at) from card_decisions d where d.user_id = l.user_id and d.payment_id = l.payment_id
          and d.is_approved))) * 1000 as approved
    from ledger_entries l where l.owed <> 0 order by l.created_at, l.id`);
  const changes = rows.map(({ userId, paymentId, at, owed, approved }) => ({
    userId,
    paymentId,
    at: Number(at),
    owed: BigInt(owed),
    approvedAt: approved === null ? null : Number(approved),
  }));
  return findBeyondBound(changes, BigInt(runtime.settings.policy.unpaidCentsMax) * cent);
}

interface GasRow extends Record<string, unknown> {
  userId: string;
  spent: string;
  most: string;
  operations: number;
}

/**
 * People whose refused transactions cost more within an hour than their budget, the transaction that used it up, and two tries of
 * each operation that was in the chain's queue by then, in words.
 */
export async function findBurnedGas({ runtime }: Service): Promise<string[]> {
  const { perHourMax } = runtime.settings.policy.gasBudget;
  const rows = await runtime.db.execute<GasRow>(sql`
    select b.user_id as "userId", max(b.spent) as spent, max(b.cost) as most, max(q.operations)::int as operations
    from (select user_id, cost, sum(cost) over (partition by user_id order by created_at
        range between interval '1 hour' preceding and current row) as spent from reverted_gas) b
    cross join lateral (select count(*) as operations from delay_transactions d join safes s on s.id = d.safe_id
      where s.user_id = b.user_id and d.queue_nonce is not null) q
    group by b.user_id`);
  return rows.flatMap(({ userId, spent, most, operations }) => {
    const bound = perHourMax + BigInt(most) * BigInt(1 + 2 * operations);
    return BigInt(spent) > bound ? [`user ${userId} burned ${spent} of gas in an hour, above ${bound}`] : [];
  });
}
