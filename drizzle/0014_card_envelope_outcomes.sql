ALTER TABLE "card_envelopes" DROP CONSTRAINT "card_envelopes_outcome";--> statement-breakpoint
ALTER TABLE "card_envelopes" ADD CONSTRAINT "card_envelopes_outcome" CHECK ("outcome" in ('matched', 'unreadable', 'check_digit', 'unknown', 'void')) NOT VALID;
