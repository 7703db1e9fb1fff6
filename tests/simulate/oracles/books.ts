/** What must hold of the books, of events, and of rows that wait for others. */
import type { World } from "../world.ts";

/** At each quiet point. */
export async function findWrongRows({ database: { ask } }: World): Promise<string[]> {
  const uneven = await ask<{ id: string }[]>`
    select posting_id::text as id from book_lines group by posting_id, split_part(account, ':', 2) having sum(amount) <> 0`;
  const items = await ask<{ id: string; amount: string }[]>`
    select id, amount::text from book_items where resolved_day is null and witness in ('ledger', 'clearings')`;
  const unsent = await ask<{ id: string; status: string }[]>`
    select t.id, t.status from card_transfers t where t.status = 'SIGNED' and not exists (
      select from relay_transactions r join relay_subjects s on s.relay_transaction_id = r.id
      where s.subject_id = t.id and r.status = 'SIGNED')`;
  const doubled = await ask<{ id: string; count: number }[]>`
    select r.subject_id as id, count(*)::int as count from relay_transactions r
    where r.purpose in ('card.return', 'safe.deploy') and r.status = 'MINED' group by r.subject_id, r.purpose having count(*) > 1`;
  const gaps = await ask<{ id: string; count: number; last: string }[]>`
    select subscription_id as id, count(*)::int as count, max(sequence)::text as last from deliveries
    group by subscription_id having count(*) <> max(sequence)`;
  return [
    ...uneven.map(({ id }) => `the lines of posting ${id} do not come to zero`),
    ...items.map(({ id, amount }) => `the books and the ledger differ by ${amount} in ${id}`),
    ...unsent.map(({ id }) => `transfer ${id} is signed, and no transaction of it is on its way`),
    ...doubled.map(({ id, count }) => `${count} transactions of ${id} were mined`),
    ...gaps.map(({ id, count, last }) => `subscription ${id} has ${count} events and is at sequence ${last}`),
  ];
}
