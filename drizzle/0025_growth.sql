CREATE INDEX IF NOT EXISTS "card_disputes_open" ON "card_disputes" USING btree ("id") WHERE "card_disputes"."status" in ('requested', 'created');--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "card_payments_authorized" ON "card_payments" USING btree ("updated_at") WHERE "card_payments"."status" = 'AUTHORIZED';--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "delay_transactions_limits" ON "delay_transactions" USING btree ("safe_id","created_at") WHERE "delay_transactions"."kind" = 'limit';--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "deliveries_event" ON "deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "emoney_callbacks_age" ON "emoney_callbacks" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "events_age" ON "events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "ibans_open" ON "ibans" USING btree ("user_id") WHERE "ibans"."status" = 'PENDING' or ("ibans"."status" = 'NOTSTARTED' and "ibans"."attempt" is not null);--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "issuer_callbacks_age" ON "issuer_callbacks" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "safes_delay" ON "safes" USING btree ("delay_address");--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "safes_under_way" ON "safes" USING btree ("id") WHERE "safes"."status" in ('processing', 'settingUp');