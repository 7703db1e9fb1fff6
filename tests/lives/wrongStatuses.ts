import { sql } from "drizzle-orm";
import { until } from "../support/poll.ts";
import type { Service } from "../support/service.ts";

/**
 * People that the issuer has otherwise than follows from the records, in words: inactive are those that are deactivated or not
 * approved, whose account was changed, or who left as much unpaid as the setting allows or more.
 */
export async function findWrongStatuses({ runtime }: Service): Promise<string[]> {
  const { unpaidCentsMax } = runtime.settings.policy;
  const find = async () => {
    const rows = await runtime.db.execute<{ userId: string; issuerId: string; isBlocked: boolean; unpaid: string }>(sql`
      with unpaid as (
        select u.id, coalesce((select sum(ceil(d.owed / 10000000000000000)) from card_debts d where d.user_id = u.id), 0)
          + coalesce((select sum(c.amount_cents) from card_cases c
              where c.user_id = u.id and c.kind in ('double_capture', 'contradictory_capture') and c.status = 'OPEN'), 0) as cents
        from users u)
      select h.user_id as "userId", h.issuer_id as "issuerId", unpaid.cents::text as unpaid,
        u.status <> 'ACTIVE' or u.kyc_status <> 'approved' or unpaid.cents >= ${String(unpaidCentsMax)}::bigint
          or exists (select from account_violations v join safes s on s.id = v.safe_id
            where s.user_id = u.id and v.status <> 'CLEARED') as "isBlocked"
      from cardholders h join users u on u.id = h.user_id join unpaid on unpaid.id = u.id`);
    const inactive = new Set((await runtime.services.issuer.listInactive()).cardholderIds);
    return rows.flatMap(({ userId, issuerId, isBlocked, unpaid }) =>
      inactive.has(issuerId) === isBlocked
        ? []
        : [`user ${userId} with ${unpaid} cents unpaid is ${isBlocked ? "active" : "inactive"} at the issuer`],
    );
  };
  await until(async () => (await find()).length === 0, { timeoutMs: 20_000 }).catch(() => undefined);
  return find();
}
