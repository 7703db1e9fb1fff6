import { sql } from "drizzle-orm";
import { until } from "../support/poll.ts";
import type { Service } from "../support/service.ts";

/**
 * People that the issuer has otherwise than our records, or as inactive although nothing is owed any more, in words. All debts
 * are paid when it is asked.
 */
export async function findWrongStatuses({ runtime }: Service): Promise<string[]> {
  const list = () =>
    runtime.db.execute<{ userId: string; status: string }>(sql`
      select user_id as "userId", issuer_synced_status as status from cardholders
      where issuer_synced_status <> 'active' or issuer_status <> 'active' or issuer_call_ends_at is not null`);
  await until(async () => (await list()).length === 0, { timeoutMs: 20_000 }).catch(() => undefined);
  const behind = (await list()).map(
    ({ userId, status }) => `user ${userId} is ${status} at the issuer without a reason`,
  );
  const { cardholderIds } = await runtime.services.issuer.listInactive();
  return [...behind, ...cardholderIds.map((id) => `the issuer has cardholder ${id} as inactive`)];
}
