CREATE TABLE `deliveries` (
	`key` text PRIMARY KEY NOT NULL,
	`suffix` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deliveries_at` ON `deliveries` (`at`);--> statement-breakpoint
CREATE TABLE `skipped_ticks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	`scheduled_at` integer NOT NULL,
	`recorded_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `usage_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sealed` blob NOT NULL
);
--> statement-breakpoint
ALTER TABLE `runs` ADD `waiting_for` text;--> statement-breakpoint
ALTER TABLE `runs` ADD `usage_key` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `test` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `runs` ADD `replay_of` text;--> statement-breakpoint
CREATE INDEX `runs_failed` ON `runs` (`sequence`) WHERE status = 'failed';--> statement-breakpoint
ALTER TABLE `trigger` ADD `options` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `trigger` ADD `usage_key` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `trigger` ADD `version` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `trigger` ADD `index_stale` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `trigger` ADD `removed_at` integer;--> statement-breakpoint
ALTER TABLE `trigger` ADD `disabled_reason` text;--> statement-breakpoint
ALTER TABLE `trigger` ADD `refusals` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `trigger` ADD `refusals_since` integer;--> statement-breakpoint
ALTER TABLE `trigger` ADD `origin_away_since` integer;--> statement-breakpoint
ALTER TABLE `trigger` ADD `next_tick_at` integer;--> statement-breakpoint
INSERT INTO `usage_keys` (`id`, `sealed`) SELECT 1, `sealed_usage_key` FROM `trigger`;--> statement-breakpoint
ALTER TABLE `trigger` DROP COLUMN `sealed_usage_key`;--> statement-breakpoint
ALTER TABLE `trigger` ADD `pruned_through` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `trigger` ADD `index_checked_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `runs` ADD `requeued_at` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `in_doubt_since` integer;--> statement-breakpoint
DROP INDEX `runs_live`;--> statement-breakpoint
CREATE INDEX `runs_live` ON `runs` (`status`,`sequence`,`next_attempt_at`,`requeued_at`,`waiting_for`,`usage_key`,`body_bytes`) WHERE status IN ('queued', 'running');