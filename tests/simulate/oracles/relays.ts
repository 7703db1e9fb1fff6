/** What must hold of the service's own transactions after every commit that concerns them. */
import type { WorldDatabase } from "../worldDatabase.ts";
import { type OracleName, say } from "./names.ts";

/** A commit that wrote one of these is looked at. */
export const relayTables =
  /\b(?:insert into|update|delete from) "?(?:relay_transactions|relay_attempts|card_transfers|chain_blocks)\b/;

/** A transaction that waits in the pool is signed again after so long. */
const replacedAfter = "45 seconds";

const question = `
  select 'doubled transactions' as oracle, 'transaction ' || id || ' was settled twice' as text from simulation.settled_twice
  union all
  select 'doubled transactions', 'a signed transaction of ' || t.id || ' is on its way, and it is ' || t.status
    from open_relays o join card_transfers t on t.id = o.subject_id
    where o.status = 'SIGNED' and o.purpose in ('card.spend', 'card.return') and t.status <> 'SIGNED'
  union all
  select 'doubled transactions', 'transaction ' || a.relay_transaction_id || ' was signed again after '
      || extract(epoch from b.created_at - a.created_at)::float8 || ' s'
    from relay_attempts a join relay_attempts b on b.relay_transaction_id = a.relay_transaction_id and b.hash <> a.hash
    where b.created_at >= a.created_at and b.created_at < a.created_at + '${replacedAfter}'::interval
      and a.refusal is null and b.refusal is null and not a.is_cancellation and not b.is_cancellation
      and (b.created_at > a.created_at or b.hash > a.hash)
  union all
  select 'blocks', 'transaction ' || r.id || ' is ' || r.status || ' by block ' || r.block_number || ', and another one was seen in its place'
    from chain_blocks b join relay_transactions r on r.block_number = b.block_number
    where r.status in ('MINED', 'REVERTED', 'LOST') and r.block_hash <> b.block_hash
  order by 1, 2`;

export async function findUnsettled({ ask }: Pick<WorldDatabase, "ask">): Promise<string[]> {
  const rows = await ask.unsafe<{ oracle: OracleName; text: string }[]>(question);
  return rows.map(({ oracle, text }) => say(oracle, text));
}
