-- mode: statements
alter table operator_actions validate constraint operator_actions_via;
--> statement-breakpoint
alter table operator_sessions validate constraint operator_sessions_way;
