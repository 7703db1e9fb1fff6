/** What the records of one card holder come to: at the issuer, in the ledger, on chain. */
import { tokens, type TokenSymbol } from "@cardkeep/chain/tokens";
import { sql } from "drizzle-orm";
import { getAddress } from "viem";
import type { RunningService } from "./service.ts";
import { balancesOf, type CardHolder } from "./spending.ts";

/**
 * What is missing of a Safe's first money, by each record: ledger, payments, issuer, chain and the API. All are the same once
 * everything is settled and nothing is owed. In base units.
 *
 * @param given all money that came to the Safe from outside
 */
export async function readCardBooks(
  service: RunningService,
  holder: CardHolder,
  given: bigint,
  symbol: TokenSymbol = "EURe",
): Promise<Record<"ledger" | "payments" | "issuer" | "chain" | "api", bigint>> {
  const { address: token, decimals } = tokens[symbol];
  const safe = getAddress(holder.safe);
  const [own] = await service.runtime.db.execute<{ ledger: string; target: string }>(sql`
    with own as (select id from safes where address = ${safe})
    select (select coalesce(-sum(safe), 0) from ledger_entries where safe_id in (select id from own)) as ledger,
      (select coalesce(sum(target), 0) from card_payments where safe_id in (select id from own)) as target`);
  return {
    ledger: BigInt(own?.ledger ?? -1),
    payments: BigInt(own?.target ?? -1),
    issuer: (await sumAtIssuer(service, holder)) * 10n ** BigInt(decimals - 2),
    chain: given - (await service.runtime.chain.getTokenBalance(token, safe)),
    api: given - (await balancesOf(holder)).total,
  };
}

/** Cents captured and not refunded, and held cents, at the issuer. */
export async function sumAtIssuer(
  service: RunningService,
  { cardToken }: Pick<CardHolder, "cardToken">,
): Promise<bigint> {
  const [row] = await service.runtime.db.execute<{ sum: string }>(sql`
    with transactions as (
      select -(data ->> 'amount')::bigint as amount, data ->> 'authorization' as authorization_id, data ->> 'type' as type
      from sandbox.issuer_objects where object = 'issuing.transaction' and data ->> 'card' = ${cardToken}),
    held as (
      select greatest(0, (data ->> 'amount')::bigint - coalesce((select sum(t.amount) from transactions t
        where t.authorization_id = o.id and t.type = 'capture' and t.amount > 0), 0)) as amount
      from sandbox.issuer_objects o where object = 'issuing.authorization' and data -> 'card' ->> 'id' = ${cardToken}
        and (data ->> 'approved')::boolean and data ->> 'status' = 'pending')
    select coalesce((select sum(amount) from transactions), 0) + coalesce((select sum(amount) from held), 0) as sum`);
  return BigInt(row?.sum ?? 0);
}

/** What the ledger has of a Safe, by account; accounts that nothing was booked on are left out. */
export async function sumLedger({ runtime }: RunningService, safeId: string): Promise<Record<string, bigint>> {
  const rows = await runtime.db.execute<{ account: string; sum: string }>(sql`
    select account, sum(amount) as sum from ledger_entries cross join lateral (values ('safe', safe), ('held', held),
      ('settlement', settlement), ('owed', owed), ('advanced', advanced), ('writtenOff', written_off)) as booked(account, amount)
    where safe_id = ${safeId} and amount <> 0 group by account`);
  return Object.fromEntries(rows.map(({ account, sum }) => [account, BigInt(sum)]));
}
