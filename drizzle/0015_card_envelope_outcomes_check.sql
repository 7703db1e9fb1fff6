-- mode: statements
alter table card_envelopes validate constraint card_envelopes_outcome;
