/** Work that is open, or never ends, but that no job stands for; there is none unless somebody deleted jobs. */
import { sql } from "drizzle-orm";
import type { Db } from "../client.ts";
import { attemptsMax, inSharedTurn, sharedQueueOf } from "./enqueue.ts";

/** Adds the missing job of every open row; answers how many were missing. */
export async function addMissingJobs(db: Db, chainId: number): Promise<number> {
  // Asked for the job of its key, Postgres looks it up; asked whether none exists, it may read all of a long queue.
  const added = await db.execute(sql`
    with under_way as (
      select s.subject_id from relay_subjects s join relay_transactions r on r.id = s.relay_transaction_id
        where r.status in ('SIGNED', 'TAKEN_BACK')
    ),
    open_work(task, subject, payload, run_at) as (
      select endless, ${String(chainId)}::text, json_build_object('chainId', ${String(chainId)}::text, 'requestId', 'chain'), now()
        from unnest(array['chain.follow', 'chain.reconcile', 'chain.nonces', 'chain.funds', 'card.compare']) as endless
      union all
      select 'safe.deploy', id, json_build_object('safeId', id, 'requestId', request_id), now() from safes where status in ('processing', 'settingUp')
        and safes.id not in (select subject_id from under_way)
      union all
      select 'safe.violation', id, json_build_object('violationId', id, 'requestId', 'chain'), now() from account_violations
        where status = 'QUEUED'
      union all
      select 'delay.relay', safe_id, json_build_object('safeId', safe_id, 'requestId', min(request_id)), now() from delay_transactions d
        where d.status = 'QUEUING'
        and d.id not in (select subject_id from under_way)
        group by safe_id
      union all
      select 'delay.dispatch', id, json_build_object('delayId', id, 'requestId', request_id), now() from delay_transactions d
        where d.status in ('WAITING', 'EXECUTING')
        and d.id not in (select subject_id from under_way)
      union all
      select 'order.payment', o.id, json_build_object('orderId', o.id, 'requestId', o.request_id), now()
        from orders o join payment_hashes h on h.order_id = o.id and h.hash = o.transaction_hash
        where o.status = 'PENDINGTRANSACTION' and h.proven_at is null
      union all
      select 'card.issue', id, json_build_object('issueId', id, 'requestId', request_id), now() from card_issues where status = 'open'
      union all
      (select 'card.tell', id, json_build_object('cardId', id, 'requestId', request_id), now() from cards
        where issuer_status <> issuer_told_status order by id limit 1000)
      union all
      select 'card.open', id, json_build_object('envelopeId', id, 'requestId', request_id), now() from card_envelopes
        where outcome is null and issue_id is null
      union all
      select 'iban.open', user_id, json_build_object('userId', user_id, 'requestId', request_id), now() from ibans
        where status = 'PENDING' or (status = 'NOTSTARTED' and attempt is not null)
      union all
      select 'card.transfer', t.id, json_build_object('transferId', t.id, 'requestId', t.request_id), now() from card_transfers t
        where t.status = 'PLANNED' and not exists (select from card_transfers before
          where before.payment_id = t.payment_id and before.ordinal < t.ordinal and before.status in ('PLANNED', 'SIGNED'))
      union all
      select 'card.settle', p.thread_id, json_build_object('threadId', p.thread_id, 'requestId', p.request_id), now() from card_payments p
        where p.status = 'AUTHORIZED' and p.updated_at < now() - interval '1 day'
      union all
      select 'card.collect', user_id, json_build_object('userId', user_id, 'requestId', min(request_id)), now() from card_payments
        where owed > 0 group by user_id
      union all
      select 'card.dispute', d.id, json_build_object('disputeId', d.id, 'requestId', d.request_id), now() from card_disputes d
        where d.status in ('requested', 'created')
      union all
      select 'relay.confirm', id, json_build_object('relayTransactionId', id, 'requestId', request_id), now() from relay_transactions where status in ('SIGNED', 'TAKEN_BACK')
    )
    select graphile_worker.add_job(task, payload := payload, run_at := run_at, max_attempts := ${attemptsMax}, job_key := task || ':' || subject,
      queue_name := case when task in (select json_array_elements_text(${JSON.stringify(inSharedTurn)}::json)) then ${sharedQueueOf(sql`task`, sql`subject`)} end)
    from open_work where (select true from graphile_worker._private_jobs j where j.key = task || ':' || subject) is null`);
  return added.length;
}
