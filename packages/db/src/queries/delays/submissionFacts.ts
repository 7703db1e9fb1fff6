import type { Address, Hex } from "@cardkeep/contract/primitives";
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { type Hold, type HoldText, isHold, readHold } from "../spending/liveTransfers.ts";
import { type DelayTransaction, isOpenDelay } from "./delays.ts";

/** An open operation, as far as the check of another one needs it. */
export type OpenDelay = Pick<DelayTransaction, "id" | "kind" | "tokenAddress" | "amount">;

/** All at one instant. */
export interface SubmissionFacts {
  /** Whether this message was accepted before. */
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

type Row = Record<string, unknown> & {
  is_submitted: boolean;
  last_transfer: string;
  quota_reached_at: string | null;
  open: (Omit<SubmissionFacts["open"][number], "amount"> & { amount: string | null })[];
  holds: HoldText[];
};

export async function readSubmissionFacts(
  on: Executor,
  input: {
    safeId: string;
    delayAddress: Address;
    signer: Address;
    messageHash: Hex;
    quota: number;
    after?: bigint | undefined;
  },
): Promise<SubmissionFacts> {
  const { safeId, delayAddress, signer, messageHash, quota, after } = input;
  const [row] = await on.execute<Row>(sql`
    select
      exists (select from delay_transactions where delay_address = ${delayAddress} and signer = ${signer}
        and message_hash = ${messageHash}) as is_submitted,
      (select coalesce(json_agg(json_build_object('id', id, 'kind', kind, 'tokenAddress', token_address,
        'amount', amount::text, 'removal', case when kind = 'owner.remove' then data end)), '[]') from delay_transactions where safe_id = ${safeId} and ${isOpenDelay}) as open,
      (select coalesce(json_agg(json_build_object('id', id, 'amount', amount::text, 'messageHash', message_hash,
        'sequence', sequence::text)), '[]') from live_transfers
        where ${isHold(safeId, after ?? null)}) as holds,
      (select coalesce(max(sequence), 0)::text from live_transfers where safe_id = ${safeId}) as last_transfer,
      (select created_at from delay_transactions where safe_id = ${safeId} order by created_at desc
        offset ${quota - 1} limit 1) as quota_reached_at`);
  if (!row) throw new Error("A question about a Safe has one answer");
  const { open, holds, quota_reached_at: reachedAt } = row;
  return {
    isSubmitted: row.is_submitted,
    open: open.map((delay) => ({ ...delay, amount: delay.amount === null ? null : BigInt(delay.amount) })),
    holds: holds.map(readHold),
    lastTransfer: BigInt(row.last_transfer),
    quotaReachedAt: reachedAt === null ? null : new Date(reachedAt),
  };
}
