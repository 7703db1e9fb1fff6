/** What a look at the chain's head is compared with, in one statement: a worker looks each second. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { sql } from "drizzle-orm";
import type { Executor } from "../../client.ts";
import { prepareStatement } from "../../prepareStatement.ts";
import type { SeenBlock } from "./blocks.ts";

export interface FollowState {
  /** The block seen with the highest number; null before the first. */
  newest: SeenBlock | null;
  /** The one that a look at the head recorded. */
  followed: SeenBlock | null;
  /** Blocks above that one, which jobs recorded: they may be on another branch. Newest first. */
  unfollowed: SeenBlock[];
  /** Newest block whose queue entries were checked; before the first, the block before our first transaction. */
  checkedBlock: bigint | null;
  /** Whether movements of money concern anything: a subscription, a partner named at sign-up that may begin one, or a debt. */
  needsTransfers: boolean;
}

const statement = prepareStatement<"chainId">(sql`
  select
    (select json_build_object('number', block_number::text, 'hash', block_hash)
      from chain_blocks where is_followed order by block_number desc limit 1) as followed,
    coalesce((select json_agg(json_build_object('number', block_number::text, 'hash', block_hash) order by block_number desc)
      from chain_blocks where block_number
        > coalesce((select block_number from chain_blocks where is_followed order by block_number desc limit 1), -1)), '[]') as unfollowed,
    coalesce(
      (select block_number from checked_blocks where chain_id = ${sql.placeholder("chainId")}),
      (select block_number - 1 from relay_transactions where block_number is not null order by block_number limit 1)
    )::text as "checkedBlock",
    exists (select from subscriptions where ended_at is null) or exists (select from users where partner_id is not null)
      or exists (select from card_debts) as "needsTransfers"`);

interface BlockText {
  number: string;
  hash: Hex;
}

const readBlock = ({ number, hash }: BlockText): SeenBlock => ({ blockNumber: BigInt(number), blockHash: hash });

/** Reads what a look at a chain's head is compared with. */
export async function readFollowState(on: Executor, chainId: number): Promise<FollowState> {
  const [row] = await on.execute<{
    followed: BlockText | null;
    unfollowed: BlockText[];
    checkedBlock: string | null;
    needsTransfers: boolean;
  }>(statement({ chainId }));
  if (!row) throw new Error("A question about the chain has one answer");
  const { checkedBlock, needsTransfers } = row;
  const followed = row.followed && readBlock(row.followed);
  const unfollowed = row.unfollowed.map(readBlock);
  return {
    newest: unfollowed[0] ?? followed,
    followed,
    unfollowed,
    checkedBlock: checkedBlock === null ? null : BigInt(checkedBlock),
    needsTransfers,
  };
}
