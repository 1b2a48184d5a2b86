CREATE TABLE `fired_logs` (
	`suffix` text PRIMARY KEY NOT NULL,
	`block_number` integer NOT NULL,
	`on_chain` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fired_logs_block` ON `fired_logs` (`block_number`);--> statement-breakpoint
ALTER TABLE `runs` ADD `reorged` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `trigger` ADD `watch` text;--> statement-breakpoint
ALTER TABLE `trigger` ADD `watch_stale` integer DEFAULT false NOT NULL;