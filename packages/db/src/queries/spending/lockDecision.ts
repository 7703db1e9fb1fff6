/** What a decision reads once more behind its locks, where each statement sees what their earlier holders committed. */
import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../../client.ts";
import { prepareStatement } from "../../prepareStatement.ts";
import { keyOfSwitch } from "../operators/stops.ts";
import { type Hold, type HoldText, isHold, readHold } from "./liveTransfers.ts";
import type { PaymentKey } from "./payments.ts";
import { type SpendingCard, selectSpendingCard } from "./spendingCard.ts";

/**
 * Takes the locks of a decision in one statement and in this order: the switch of card payments, shared; the uses of a user,
 * unless it is null, whose rules count over all cards; the Safe's row.
 *
 * Postgres computes the columns before it locks the row. With the setting it keeps the plans of this transaction's statements:
 * it would plan those with partitions anew each time.
 */
export async function lockDecision(
  tx: Tx,
  { safeId, userId }: { safeId: string; userId: string | null },
): Promise<void> {
  await tx.execute(userId === null ? lockSafe({ safeId }) : lockUses({ safeId, userId }));
}

const buildLock = (uses: SQL): SQL => sql`
  select pg_advisory_xact_lock_shared(${keyOfSwitch("card-payments")}), ${uses}, set_config('plan_cache_mode', 'force_generic_plan', true)
  from safes where id = ${sql.placeholder("safeId")} for no key update`;

const lockSafe = prepareStatement<"safeId">(buildLock(sql`null`));
const lockUses = prepareStatement<"safeId" | "userId">(
  buildLock(sql`pg_advisory_xact_lock(hashtextextended('cardkeep:uses:' || ${sql.placeholder("userId")}::text, 0))`),
);

/** The facts behind the locks. */
export interface LockedFacts {
  card: SpendingCard;
  /** The Safe's holds, and its transfers after the sequence that was asked for, even if they have ended since. */
  holds: Hold[];
  /** Whether the thread is new: it had no payment. */
  isNew: boolean;
}

/**
 * Reads the card and the holds of its Safe, and inserts the thread of a payment unless `first` is null; null for an unknown
 * card.
 */
export async function readLockedFacts(
  tx: Tx,
  {
    issuerCardId,
    safeId,
    after,
    first,
  }: { issuerCardId: string; safeId: string; after: bigint; first: (PaymentKey & { threadId: string }) | null },
): Promise<LockedFacts | null> {
  const keys = { issuerCardId, safeId, after: after.toString() };
  const [row] = await tx.execute<LockedRow>(
    first
      ? insertThreadAndRead({ ...keys, threadId: first.threadId, paymentId: first.id, userId: first.userId })
      : readOnly(keys),
  );
  if (!row) return null;
  const { holds, isNew, ...card } = row;
  return { card, holds: holds.map(readHold), isNew };
}

type LockedRow = SpendingCard & { holds: HoldText[]; isNew: boolean } & Record<string, unknown>;
type Keys = "issuerCardId" | "safeId" | "after";

const buildRead = (first: SQL): SQL => sql`
  with inserted as (${first})
  select card.*, exists (select from inserted) as "isNew",
    (select coalesce(json_agg(json_build_object('id', id, 'amount', amount::text, 'messageHash', message_hash, 'sequence', sequence::text)), '[]')
      from live_transfers where ${isHold(sql.placeholder("safeId"), sql.placeholder("after"))}) as holds
  from (${selectSpendingCard} where c.card_token = ${sql.placeholder("issuerCardId")}) card`;

const readOnly = prepareStatement<Keys>(buildRead(sql`select true where false`));
const insertThreadAndRead = prepareStatement<Keys | "threadId" | "paymentId" | "userId">(
  buildRead(sql`
    insert into card_threads (thread_id, payment_id, user_id)
    values (${sql.placeholder("threadId")}, ${sql.placeholder("paymentId")}, ${sql.placeholder("userId")})
    on conflict do nothing returning true`),
);
