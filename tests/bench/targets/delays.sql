select id, "safeAddress", "transactionData", "enqueueTaskId", "dispatchTaskId", "readyAt", "operationType", "userId",
  status, "createdAt"
from (
  (select d.id, s.address as "safeAddress", d.data as "transactionData", d.enqueue_task_id as "enqueueTaskId",
     d.dispatch_task_id as "dispatchTaskId", d.ready_at as "readyAt", d.operation as "operationType",
     d.user_id as "userId", d.status, d.created_at as "createdAt", s.created_at as safe_created_at, d.queue_nonce,
     d.sequence
   from delay_transactions d join safes s on s.id = d.safe_id
   where d.user_id = $1 and d.status = 'EXECUTED' order by d.sequence desc limit 100)
  union all
  (select d.id, s.address as "safeAddress", d.data as "transactionData", d.enqueue_task_id as "enqueueTaskId",
     d.dispatch_task_id as "dispatchTaskId", d.ready_at as "readyAt", d.operation as "operationType",
     d.user_id as "userId", d.status, d.created_at as "createdAt", s.created_at as safe_created_at, d.queue_nonce,
     d.sequence
   from safes s join delay_transactions d on d.safe_id = s.id
   where s.user_id = $1 and d.status not in ('EXECUTED', 'FAILED'))
) d
order by safe_created_at, queue_nonce, sequence
