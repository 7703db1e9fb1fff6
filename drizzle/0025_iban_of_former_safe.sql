-- mode: statements
alter table card_cases drop constraint if exists card_cases_kind;
--> statement-breakpoint
alter table card_cases add constraint card_cases_kind check (kind in ('stand_in_shortfall', 'stand_in_excess', 'stand_in_blocked', 'unpaid_capture', 'over_capture', 'late_capture', 'refused_spend', 'dispute_loss', 'dispute_taken_back', 'uncredited_dispute', 'double_capture', 'contradictory_capture', 'unauthorized_payment', 'iban_mint_missing', 'iban_mint_duplicate', 'iban_mint_unordered', 'iban_recall', 'order_return', 'iban_to_close', 'iban_of_former_safe', 'return_waiting', 'refund_request', 'erasure_request', 'unbooked')) not valid;
--> statement-breakpoint
alter table card_cases validate constraint card_cases_kind;
