/** What was approved is authorized, from the decision on until the issuer says otherwise: also while it has not recorded the answer. */
import type { WorldDatabase } from "../worldDatabase.ts";
import { say } from "./names.ts";

/** After ten minutes an answer that the issuer has not recorded counts as not taken. */
const awaited = "9 minutes";

export async function findForgotten({ ask }: Pick<WorldDatabase, "ask">): Promise<string[]> {
  const rows = await ask<{ id: string; has: string; approved: string }[]>`
    with open as (
      select p.id, p.user_id, p.authorized_cents as has, o.data -> 'request_history' as requests
      from card_payments p join sandbox.issuer_objects o on o.id = p.thread_id
      where p.status = 'AUTHORIZED' and o.data ->> 'status' = 'pending'),
    counted as (
      select o.id, o.has, case
        when d.ordinal >= jsonb_array_length(o.requests) then
          case when d.created_at > (select at from simulation.world_time) - ${awaited}::interval then d.approved_cents else 0 end
        when (o.requests -> d.ordinal ->> 'approved')::boolean then
          least(d.approved_cents, greatest((o.requests -> d.ordinal ->> 'amount')::bigint, 0))
        else 0 end as cents
      from open o join card_decisions d on d.payment_id = o.id and d.user_id = o.user_id
      where d.is_approved and not d.is_by_issuer)
    select id, has::text, sum(cents)::text as approved from counted group by id, has having sum(cents) > has order by id`;
  return rows.map(({ id, has, approved }) =>
    say("authorized", `payment ${id} has ${has} authorized, and ${approved} were approved`),
  );
}
