-- A gap of a partner reaches each of its subscriptions with the next event: all at once take longer than a statement may.
alter table partners add column if not exists sequence_gaps bigint default 0 not null;
--> statement-breakpoint
alter table subscriptions add column if not exists sequence_gaps bigint default 0 not null;
