/** What the ledger has at the settlement account, and the last comparison of it with the chain. */
import { asc, sql } from "drizzle-orm";
import type { Executor, Tx } from "../../client.ts";
import type { SettlementToken } from "../../schema/chain/settlementFunds.ts";
import { finalTransfersText } from "../../schema/spending/transfers.ts";
import { settlementChanges, settlementFunds } from "../../schema/tables.ts";

export type SettlementFunds = typeof settlementFunds.$inferSelect;

/** The ledger's side of one token, in base units. */
export interface SettlementLedger {
  booked: bigint;
  /** Returns and sweeps that may have left the account and are not booked yet. */
  returning: bigint;
  /** Alike in two readings when nothing left the account's books in between, and no return came under way. */
  version: string;
}

/** The ledger's side of every token that was booked or is being returned, as of one instant. */
export async function readSettlementLedger(on: Executor): Promise<Map<SettlementToken, SettlementLedger>> {
  const rows = await on.execute<{ token: SettlementToken; booked: string; leaving: string; version: string }>(sql`
    with changes as (
      select token, sum(amount) as booked, 0 as leaving, null as open,
        coalesce(sum(amount) filter (where amount < 0), 0) as taken
      from settlement_changes group by token
      union all
      select token, folded, 0, null, 0 from settlement_funds
      union all
      select s.token_symbol, 0, sum(t.amount), string_agg(t.id, ',' order by t.id), 0
      from live_transfers t join safes s on s.id = t.safe_id
      where t.status not in (${sql.raw(finalTransfersText)}) and t.direction = 'return' group by s.token_symbol
      union all
      select token, 0, sum(amount), string_agg(id, ',' order by id), 0 from treasury_moves
      where kind = 'sweep' and status not in ('DONE', 'FAILED') group by token)
    select token, sum(booked)::text as booked, sum(leaving)::text as leaving,
      concat_ws(':', sum(taken), string_agg(open, ';' order by open)) as version
    from changes group by token`);
  return new Map(
    rows.map(({ token, booked, leaving, version }) => [
      token,
      { booked: BigInt(booked), returning: BigInt(leaving), version },
    ]),
  );
}

/** Keeps a comparison, and adds up and removes the changes that are visible by then. */
export async function saveSettlementFunds(
  tx: Tx,
  compared: readonly { token: SettlementToken; required: bigint; balance: bigint }[],
  now: Date,
): Promise<SettlementFunds[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const rows = compared.map(({ token, required, balance }) => ({
    token,
    required: String(required),
    balance: String(balance),
  }));
  await tx.execute(sql`
    with gone as (delete from settlement_changes returning token, amount)
    insert into settlement_funds as f (token, folded, required, balance, short_since, compared_at)
    select c.token, coalesce((select sum(amount) from gone where gone.token = c.token), 0), c.required, c.balance,
      case when c.balance < c.required then ${at} end, ${at}
    from json_to_recordset(${JSON.stringify(rows)}::json) as c(token text, required numeric, balance numeric)
    on conflict (token) do update set folded = f.folded + excluded.folded, required = excluded.required,
      balance = excluded.balance, compared_at = excluded.compared_at,
      short_since = case when excluded.short_since is not null then coalesce(f.short_since, excluded.short_since) end`);
  return listSettlementFunds(tx);
}

/** The last comparison of every token. */
export const listSettlementFunds = (on: Executor): Promise<SettlementFunds[]> =>
  on.select().from(settlementFunds).orderBy(asc(settlementFunds.token));

/** Books on the ledger's side what the treasury moved: below zero where it left the settlement account. */
export async function bookSettlementChange(tx: Tx, token: SettlementToken, amount: bigint): Promise<void> {
  await tx.insert(settlementChanges).values({ token, amount });
}
