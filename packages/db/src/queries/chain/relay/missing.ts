/** Rows whose transaction on chain has no relay transaction: another sender's, or one that a database lost. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { sql } from "drizzle-orm";
import type { Executor } from "../../../client.ts";
import type { RelayPurpose } from "../../../schema/chain/relayers.ts";
import { cardTransfers, delayTransactions, relayAttempts, relaySubjects } from "../../../schema/tables.ts";

export interface UnlinkedHash {
  hash: Hex;
  purpose: RelayPurpose;
  subjectId: string;
  requestId: string;
}

/** Executions of operations, and transfers of card money, that ended in a block or after it; the oldest ones first. */
export async function listUnlinkedHashes(
  on: Executor,
  { fromBlock, limit }: { fromBlock: bigint; limit: number },
): Promise<UnlinkedHash[]> {
  return on.execute<UnlinkedHash & Record<string, unknown>>(sql`
    select hash, purpose, subject_id as "subjectId", request_id as "requestId" from (
      select executed_hash as hash, 'delay.dispatch' as purpose, id as subject_id, request_id, ended_block
        from ${delayTransactions} where ended_block >= ${fromBlock} and executed_hash is not null
      union all
      select hash, case direction when 'spend' then 'card.spend' else 'card.return' end, id, request_id, ended_block
        from ${cardTransfers} where ended_block >= ${fromBlock} and hash is not null
    ) ended
    where not exists (select from ${relaySubjects} s join ${relayAttempts} a on a.relay_transaction_id = s.relay_transaction_id
      where s.subject_id = ended.subject_id and a.hash = ended.hash)
    order by ended_block limit ${limit}`);
}
