ALTER TABLE "card_issues" ADD COLUMN "request_key" text;--> statement-breakpoint
CREATE UNIQUE INDEX "card_issues_request_key" ON "card_issues" USING btree ("user_id","request_key");