CREATE TABLE `key_checks` (
	`id` integer PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`is_finished` integer NOT NULL,
	`next_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `watched_keys` (
	`trigger_id` text PRIMARY KEY NOT NULL,
	`trigger_name` text NOT NULL,
	`key_hash` text,
	`expires_at` integer,
	`checked_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `alert_settings` ADD `thresholds` text;