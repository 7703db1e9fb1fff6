-- mode: statements
create unique index concurrently if not exists "operator_approvals_same" on "operator_approvals" using btree ("verb",sha256(replace("input"::text, '\', '\\')::bytea)) where "operator_approvals"."status" = 'WAITING';
--> statement-breakpoint
drop index concurrently if exists "operator_approvals_waiting";
