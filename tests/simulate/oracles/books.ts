/** What must hold of the ledger, the books, events, and transactions, at each quiet point. */
import { waitAlone } from "../native.ts";
import type { Reign } from "./oracles.ts";

export async function findSums({ world: { database } }: Reign): Promise<string[]> {
  const [row] = await database.ask<{ sum: string }[]>`
    select coalesce(sum(safe + held + settlement + owed + advanced + written_off), 0)::text as sum from ledger_entries`;
  return row?.sum === "0" ? [] : [`the entries of the ledger come to ${row?.sum} together`];
}

export async function findDebts({ world: { database } }: Reign): Promise<string[]> {
  const [row] = await database.ask<{ owed: string; payments: string }[]>`
    select (select coalesce(sum(owed), 0) from ledger_entries)::text as owed,
      (select coalesce(sum(owed), 0) from card_payments)::text as payments`;
  return row?.owed === row?.payments ? [] : [`the ledger has ${row?.owed} owed, the payments ${row?.payments}`];
}

export async function findUneven({ world: { database } }: Reign): Promise<string[]> {
  const rows = await database.ask<{ id: string }[]>`
    select posting_id::text as id from book_lines group by posting_id, split_part(account, ':', 2) having sum(amount) <> 0`;
  return rows.map(({ id }) => `the lines of posting ${id} do not come to zero`);
}

export async function findItems({ world: { database } }: Reign): Promise<string[]> {
  const rows = await database.ask<{ id: string; amount: string }[]>`
    select id, amount::text from book_items where resolved_day is null and witness in ('ledger', 'clearings')`;
  return rows.map(({ id, amount }) => `the books and the ledger differ by ${amount} in ${id}`);
}

export async function findUnsent({ world: { database } }: Reign): Promise<string[]> {
  const rows = await database.ask<{ id: string }[]>`
    select t.id from card_transfers t where t.status = 'SIGNED' and not exists (
      select from relay_transactions r join relay_subjects s on s.relay_transaction_id = r.id
      where s.subject_id = t.id and r.status = 'SIGNED')`;
  return rows.map(({ id }) => `transfer ${id} is signed, and no transaction of it is on its way`);
}

export async function findDoubled({ world: { database } }: Reign): Promise<string[]> {
  const rows = await database.ask<{ id: string; count: number }[]>`
    select r.subject_id as id, count(*)::int as count from relay_transactions r
    where r.purpose in ('card.return', 'safe.deploy') and r.status = 'MINED'
      and not exists (select from relay_attempts a where a.hash = r.mined_hash and a.is_cancellation)
    group by r.subject_id, r.purpose having count(*) > 1`;
  return rows.map(({ id, count }) => `${count} transactions of ${id} were mined`);
}

export async function findGaps({ world: { database } }: Reign): Promise<string[]> {
  const rows = await database.ask<{ id: string; count: number; last: string }[]>`
    select subscription_id as id, count(*)::int as count, max(sequence)::text as last from deliveries
    group by subscription_id having count(*) <> max(sequence)`;
  return rows.map(({ id, count, last }) => `subscription ${id} has ${count} events and is at sequence ${last}`);
}

/** Nonces that another program used are counted once, in their own lane. */
export async function findMiscounted({ world: { database, foreignSent } }: Reign): Promise<string[]> {
  const rows = await database.ask<{ address: string; count: number }[]>`
    select address, foreign_count::int as count from relayers order by address`;
  return rows
    .map((row) => ({ ...row, sent: foreignSent.get(row.address) ?? 0 }))
    .filter(({ count, sent }) => count > sent)
    .map(
      ({ address, count, sent }) => `lane ${address} counts ${count} transactions of others, and there were ${sent}`,
    );
}

/** What is settled rests on blocks that the chain still has. */
export async function findReplaced({ world: { database, runtime } }: Reign): Promise<string[]> {
  return waitAlone(async () => {
    const rows = await database.ask<{ id: string; number: string; hash: string }[]>`
      select id, block_number::text as number, block_hash as hash from relay_transactions
      where status in ('MINED', 'REVERTED') order by nonce, id`;
    const found: string[] = [];
    for (const { id, number, hash } of rows) {
      const block = await runtime.chain.getBlockAt(BigInt(number));
      if (block?.hash !== hash) found.push(`transaction ${id} is settled by block ${number}, which was replaced`);
    }
    return found;
  });
}
