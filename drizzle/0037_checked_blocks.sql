CREATE TABLE "checked_blocks" (
	"chain_id" bigint PRIMARY KEY NOT NULL,
	"block_number" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "chain_cursor" DROP COLUMN "checked_block";