-- mode: statements
alter table card_cases validate constraint card_cases_kind;
--> statement-breakpoint
alter table stop_switches validate constraint stop_switches_name;
