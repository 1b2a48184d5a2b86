CREATE TABLE `replay_batches` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`replay` integer NOT NULL,
	`trigger_id` text NOT NULL,
	`suffixes` text NOT NULL,
	`sending` integer DEFAULT false NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`not_before` integer DEFAULT 0 NOT NULL,
	`waiting_since` integer
);
--> statement-breakpoint
CREATE INDEX `replay_batches_replay` ON `replay_batches` (`replay`);--> statement-breakpoint
CREATE TABLE `replays` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner_id` text NOT NULL,
	`code` text NOT NULL,
	`per_minute` integer NOT NULL,
	`include_replayed` integer NOT NULL,
	`status` text NOT NULL,
	`selected` integer NOT NULL,
	`replayed` integer DEFAULT 0 NOT NULL,
	`trigger_disabled` integer DEFAULT 0 NOT NULL,
	`trigger_deleted` integer DEFAULT 0 NOT NULL,
	`run_deleted` integer DEFAULT 0 NOT NULL,
	`queue_full` integer DEFAULT 0 NOT NULL,
	`cancelled` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`next_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `replays_id_unique` ON `replays` (`id`);--> statement-breakpoint
CREATE INDEX `replays_finished` ON `replays` (`finished_at`);--> statement-breakpoint
ALTER TABLE `failed_runs` ADD `fingerprint` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `failed_runs` ADD `replay_id` text;--> statement-breakpoint
ALTER TABLE `failed_runs` ADD `replay_suffix` text;--> statement-breakpoint
CREATE INDEX `failed_runs_finished` ON `failed_runs` (`finished_at`);--> statement-breakpoint
CREATE INDEX `failed_runs_fingerprint` ON `failed_runs` (`fingerprint`,`finished_at`);