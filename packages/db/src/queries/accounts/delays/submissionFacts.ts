import type { Hex } from "@cardkeep/contract/core/primitives";
import { type SQL, sql } from "drizzle-orm";
import type { Reads, Tx } from "../../../client.ts";
import { prepareStatement, readPrepared } from "../../../prepareStatement.ts";
import { type Hold, type HoldText, isHold, readHold } from "../../spending/liveTransfers.ts";
import { isStoppedIn, keyOfSwitch } from "../../operators/stops.ts";
import { type DelayTransaction, isOpenDelay } from "./delays.ts";
import { hasReceivers } from "../../partners/outbox.ts";

/** An open operation, as far as the check of another one needs it. */
export type OpenDelay = Pick<DelayTransaction, "id" | "kind" | "tokenAddress" | "amount">;

/** All at one instant. */
export interface SubmissionFacts {
  /** Whether this message was accepted before, of any owner. */
  isSubmitted: boolean;
  /** Open operations of the Safe. */
  open: (OpenDelay & {
    /** Calldata of an owner's removal; null for every other kind. */
    removal: Hex | null;
  })[];
  /** The Safe's holds. Transfers after the sequence `after` count even if they have ended since. */
  holds: Hold[];
  /** Sequence of the Safe's newest live transfer; 0 without any. */
  lastTransfer: bigint;
  /** When the `quota`-th newest operation of the Safe was submitted; null while there are fewer. */
  quotaReachedAt: Date | null;
}

/** Of a Safe, as its lock's holder sees it. */
export interface LockedSubmissionFacts extends SubmissionFacts {
  /** Whether the Safe is in service. */
  isInService: boolean;
  /** Whether withdrawals are stopped. */
  isStopped: boolean;
  /** Whether a partner hears of the user. */
  hasReceivers: boolean;
}

type Row = Record<string, unknown> & {
  isSubmitted: boolean;
  lastTransfer: string;
  quotaReachedAt: string | Date | null;
  open: (Omit<SubmissionFacts["open"][number], "amount"> & { amount: string | null })[];
  holds: HoldText[];
};

type Submission = Pick<DelayTransaction, "safeId" | "delayAddress" | "messageHash"> & { quota: number };
type Name = keyof Submission;

const given = (name: Name | "after") => sql.placeholder(name);

const buildSelect = (isHeld: SQL, more: SQL): SQL => sql`
  select
    exists (select from delay_transactions where delay_address = ${given("delayAddress")}
      and message_hash = ${given("messageHash")}) as "isSubmitted",
    (select coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'tokenAddress', token_address,
      'amount', amount::text, 'removal', case when kind = 'owner.remove' then data end)), '[]') from delay_transactions where safe_id = ${given("safeId")} and ${isOpenDelay}) as open,
    (select coalesce(json_agg(json_build_object('id', id, 'amount', amount::text, 'messageHash', message_hash,
      'sequence', sequence::text)), '[]') from live_transfers where ${isHeld}) as holds,
    (select coalesce(max(sequence), 0)::text from live_transfers where safe_id = ${given("safeId")}) as "lastTransfer",
    (select created_at from delay_transactions where safe_id = ${given("safeId")} order by created_at desc
      offset ${given("quota")} - 1 limit 1) as "quotaReachedAt" ${more}`;

const select = prepareStatement<Name>(buildSelect(isHold(given("safeId"), null), sql.empty()));

/** What is known of a Safe before the chain is asked. */
export async function readSubmissionFacts(reads: Reads, submission: Submission): Promise<SubmissionFacts> {
  return readRow(await readPrepared<Row>(reads, select(submission)));
}

const lock = prepareStatement<"safeId">(sql`
  select set_config('plan_cache_mode', 'force_generic_plan', true) from safes where id = ${sql.placeholder("safeId")} for no key update`);
const lockWithdrawal = prepareStatement<"safeId">(sql`
  select pg_advisory_xact_lock_shared(${keyOfSwitch("withdrawals")}), set_config('plan_cache_mode', 'force_generic_plan', true)
  from safes where id = ${sql.placeholder("safeId")} for no key update`);

const selectLocked = prepareStatement<Name | "after">(
  buildSelect(
    isHold(given("safeId"), given("after")),
    sql`, exists (select from safes where id = ${given("safeId")} and status = 'ok') as "isInService",
      ${isStoppedIn("withdrawals")} as "isStopped",
      ${hasReceivers(sql`(select user_id from safes where id = ${given("safeId")})`)} as "hasReceivers"`,
  ),
);

/**
 * Takes the locks of a submission, in this order: the switch of withdrawals, shared, for a withdrawal; the Safe's row. Then
 * reads the facts, in a statement of its own that sees what earlier holders committed.
 *
 * Both are sent in one write. The plans of this transaction's statements are kept: planning takes longer than they do.
 */
export async function lockSubmission(
  tx: Tx,
  submission: Submission & { isWithdrawal: boolean; after: bigint },
): Promise<LockedSubmissionFacts> {
  const { isWithdrawal, after, ...message } = submission;
  const { safeId } = message;
  const [, rows] = await Promise.all([
    tx.execute(isWithdrawal ? lockWithdrawal({ safeId }) : lock({ safeId })),
    tx.execute<Row & Omit<LockedSubmissionFacts, keyof SubmissionFacts>>(
      selectLocked({ ...message, after: after.toString() }),
    ),
  ]);
  const [row] = rows;
  if (!row) throw new Error("A question about a Safe has one answer");
  const { isInService, isStopped, hasReceivers: isReceived } = row;
  return { ...readRow(rows), isInService, isStopped, hasReceivers: isReceived };
}

function readRow([row]: readonly Row[]): SubmissionFacts {
  if (!row) throw new Error("A question about a Safe has one answer");
  const { isSubmitted, open, holds, quotaReachedAt } = row;
  return {
    isSubmitted,
    open: open.map((delay) => ({ ...delay, amount: delay.amount === null ? null : BigInt(delay.amount) })),
    holds: holds.map(readHold),
    lastTransfer: BigInt(row.lastTransfer),
    quotaReachedAt: quotaReachedAt === null ? null : new Date(quotaReachedAt),
  };
}
