ALTER TABLE "operator_actions" DROP CONSTRAINT "operator_actions_via";--> statement-breakpoint
ALTER TABLE "operator_actions" ADD CONSTRAINT "operator_actions_via" CHECK ("via" in ('cli', 'page', 'api', 'sandbox', 'worker')) NOT VALID;--> statement-breakpoint
ALTER TABLE "operator_sessions" DROP CONSTRAINT "operator_sessions_way";--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_way" CHECK ("way" in ('page', 'cli', 'api')) NOT VALID;
